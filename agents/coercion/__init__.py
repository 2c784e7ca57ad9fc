"""Arguments of tool calls against JSON schemas: `arguments` corrects them or says what is wrong, `values` corrects single values.

Plain JSON in and out. Knows neither entries nor tools, so the engine, agents.providers, agents.runtime and agents.api
all call it.
"""
