"""The fields of the Gemini API's request messages (https://ai.google.dev/api/generate-content)."""

from __future__ import annotations

from doubles.gemini.proto import (
    Message,
    any_value,
    boolean,
    data_bytes,
    deferred,
    enum,
    integer,
    long_integer,
    map_of,
    number,
    repeated,
    string,
    struct,
)

PART_DATA = frozenset(
    {
        "text",
        "inlineData",
        "fileData",
        "functionCall",
        "functionResponse",
        "executableCode",
        "codeExecutionResult",
        "toolCall",
        "toolResponse",
    }
)

_function_call = Message({"id": string, "name": string, "args": struct})
_function_response = Message(
    {
        "id": string,
        "name": string,
        "response": struct,
        "parts": repeated(struct),
        "willContinue": boolean,
        "scheduling": enum("SCHEDULING_UNSPECIFIED", "SILENT", "WHEN_IDLE", "INTERRUPT"),
    }
)
_part = Message(
    {
        "text": string,
        "thought": boolean,
        "thoughtSignature": data_bytes,
        "inlineData": Message({"mimeType": string, "data": data_bytes, "displayName": string}),
        "fileData": Message({"mimeType": string, "fileUri": string, "displayName": string}),
        "functionCall": _function_call,
        "functionResponse": _function_response,
        "executableCode": Message({"id": string, "language": enum("LANGUAGE_UNSPECIFIED", "PYTHON"), "code": string}),
        "codeExecutionResult": Message(
            {
                "id": string,
                "outcome": enum("OUTCOME_UNSPECIFIED", "OUTCOME_OK", "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED"),
                "output": string,
            }
        ),
        "toolCall": struct,
        "toolResponse": struct,
        "videoMetadata": struct,
        "mediaResolution": struct,
        "partMetadata": struct,
    },
    oneof=PART_DATA,
)
_content = Message({"role": string, "parts": repeated(_part)})

_schema: Message = Message(
    {
        "type": enum("TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"),
        "format": string,
        "title": string,
        "description": string,
        "nullable": boolean,
        "enum": repeated(string),
        "maxItems": long_integer,
        "minItems": long_integer,
        "properties": map_of(deferred(lambda: _schema)),
        "required": repeated(string),
        "minProperties": long_integer,
        "maxProperties": long_integer,
        "minLength": long_integer,
        "maxLength": long_integer,
        "pattern": string,
        "example": any_value,
        "anyOf": repeated(deferred(lambda: _schema)),
        "propertyOrdering": repeated(string),
        "default": any_value,
        "items": deferred(lambda: _schema),
        "minimum": number,
        "maximum": number,
    }
)
_function_declaration = Message(
    {
        "name": string,
        "description": string,
        "behavior": enum("UNSPECIFIED", "BLOCKING", "NON_BLOCKING"),
        "parameters": _schema,
        "parametersJsonSchema": any_value,
        "response": _schema,
        "responseJsonSchema": any_value,
    }
)
_google_search = Message({"timeRangeFilter": struct, "searchTypes": struct})
_tool = Message(
    {
        "functionDeclarations": repeated(_function_declaration),
        "googleSearch": _google_search,
        "googleSearchRetrieval": struct,
        "codeExecution": Message({}),
        "urlContext": Message({}),
        "computerUse": struct,
        "fileSearch": struct,
        "googleMaps": struct,
    }
)
_tool_config = Message(
    {
        "functionCallingConfig": Message(
            {"mode": enum("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"), "allowedFunctionNames": repeated(string)}
        ),
        "retrievalConfig": struct,
        "includeServerSideToolInvocations": boolean,
    }
)
_thinking_config = Message(
    {
        "includeThoughts": boolean,
        "thinkingBudget": integer,
        "thinkingLevel": enum("THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH"),
    }
)
_generation_config = Message(
    {
        "candidateCount": integer,
        "stopSequences": repeated(string),
        "maxOutputTokens": integer,
        "temperature": number,
        "topP": number,
        "topK": integer,
        "seed": integer,
        "responseMimeType": string,
        "responseSchema": _schema,
        "responseJsonSchema": any_value,
        "presencePenalty": number,
        "frequencyPenalty": number,
        "responseLogprobs": boolean,
        "logprobs": integer,
        "enableEnhancedCivicAnswers": boolean,
        "responseModalities": repeated(enum("MODALITY_UNSPECIFIED", "TEXT", "IMAGE", "AUDIO")),
        "speechConfig": struct,
        "imageConfig": struct,
        "thinkingConfig": _thinking_config,
        "mediaResolution": string,
    }
)
_safety_setting = Message(
    {
        "category": enum(
            "HARM_CATEGORY_HARASSMENT",
            "HARM_CATEGORY_HATE_SPEECH",
            "HARM_CATEGORY_SEXUALLY_EXPLICIT",
            "HARM_CATEGORY_DANGEROUS_CONTENT",
            "HARM_CATEGORY_CIVIC_INTEGRITY",
        ),
        "threshold": enum("BLOCK_LOW_AND_ABOVE", "BLOCK_MEDIUM_AND_ABOVE", "BLOCK_ONLY_HIGH", "BLOCK_NONE", "OFF"),
    }
)
GENERATE_CONTENT_REQUEST = Message(
    {
        "model": string,
        "contents": repeated(_content),
        "systemInstruction": _content,
        "tools": repeated(_tool),
        "toolConfig": _tool_config,
        "safetySettings": repeated(_safety_setting),
        "generationConfig": _generation_config,
        "cachedContent": string,
        "serviceTier": string,
        "store": boolean,
        "continuationToken": string,
    }
)
