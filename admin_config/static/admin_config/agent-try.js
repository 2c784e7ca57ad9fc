/* "Try it" on an agent's page: the form as it stands is prepared as a trial, then asked; the answer streams as in the chat
   (docs/protocol.md). Each column is a conversation of its own. Nothing here has a name, so that the form's save doesn't send it. */
document.addEventListener("DOMContentLoaded", () => {
  const box = document.querySelector(".agent-try");
  if (!box) return;
  const form = box.closest("form");
  const find = (name) => box.querySelector(`[data-trial-${name}]`);
  const [text, send, stop, clear, problem, beside] = ["text", "send-button", "stop", "clear", "problem", "beside"].map(find);
  let isAsking = false;
  const showBusy = () => {
    const isBusy = isAsking || Object.values(columns).some((column) => column.isBusy);
    send.disabled = clear.disabled = isBusy;
    stop.hidden = !isBusy;
  };
  const places = [...box.querySelectorAll("[data-trial-column]")];
  const columns = Object.fromEntries(places.map((place) => [place.dataset.trialColumn, new Column(place, box, form, showBusy)]));
  const shown = () => (beside.checked ? ["live", "draft"] : ["draft"]);
  let last = "";

  const [tools, source, results] = ["tools", "source", "results"].map(find);
  const entered = []; // results that the admin gave
  const showSource = () => (source.hidden = tools.value !== "recorded");
  const recorded = () => (tools.value === "recorded" ? { results: entered, results_of: idIn(results.value) } : {});
  const given = new URLSearchParams(location.search).get("results");
  if (given) {
    tools.value = "recorded";
    results.value = given;
  }
  tools.addEventListener("change", showSource);
  showSource();
  box.addEventListener("trial-results", ({ detail }) => {
    tools.value = "recorded";
    results.value = detail;
    showSource();
    results.focus();
  });
  box.addEventListener("trial-entered", ({ detail }) => {
    entered.push(detail);
    ask(last);
  });

  const tell = (message) => {
    problem.textContent = message;
    problem.hidden = !message;
  };
  const setAsking = (value) => {
    isAsking = value;
    showBusy();
  };

  const prepare = async () => {
    const fields = new FormData(form);
    fields.delete("_opened_at");
    for (const secret of form.querySelectorAll("input[type=password]")) fields.delete(secret.name);
    if (find("ask").checked) fields.set("_trial_ask", "on");
    const response = await fetch(box.dataset.trialPrepare, { method: "POST", body: fields, headers: { accept: "application/json" } });
    const reply = await response.json().catch(() => ({}));
    if (!response.ok) throw new Error(reply.error?.message ?? word("This could not be tried. Reload the page and try again."));
    return reply;
  };

  /* Ask what is typed, or the last question again, when a result was entered for it. */
  const ask = async (again = "") => {
    const question = again || text.value.trim();
    if (!question || send.disabled) return;
    tell("");
    setAsking(true);
    last = question;
    if (!again) text.value = ""; // at once: what is typed meanwhile is the next question
    try {
      if (tools.value === "recorded" && results.value.trim() && !idIn(results.value)) throw new Error(word("Paste the address of a run."));
      const releases = await prepare();
      if (beside.checked && !releases.live) tell(word("This agent is not live yet, so only the draft answers."));
      const model = find("model")?.value || null;
      const names = shown().filter((name) => releases[name] && (!again || columns[name].isUnanswered));
      const more = { model, ...recorded() };
      const ends = await Promise.allSettled(names.map((name) => columns[name].ask(question, releases[name], more)));
      const failed = ends.find((end) => end.status === "rejected");
      if (failed) throw failed.reason;
    } catch (error) {
      tell(error.message);
      if (!text.value && !again) text.value = question;
    } finally {
      setAsking(false);
      text.focus();
    }
  };

  send.addEventListener("click", () => ask());
  stop.addEventListener("click", () => shown().forEach((name) => columns[name].stop()));
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      ask();
    } else if (event.key === "Escape" && !stop.hidden) {
      shown().forEach((name) => columns[name].stop());
    } else if (event.key === "ArrowUp" && !text.value && last) {
      event.preventDefault();
      text.value = last;
    }
  });
  beside.addEventListener("change", () => {
    columns.live.place.hidden = !beside.checked;
    box.classList.toggle("is-beside", beside.checked);
  });
  clear.addEventListener("click", () => {
    Object.values(columns).forEach((column) => column.clear());
    tell("");
    text.focus();
  });
});

class Column {
  constructor(place, box, form, onBusy) {
    Object.assign(this, { place, box, form, onBusy, isBusy: false, conversation: null, answer: null });
    this.log = place.querySelector("[role=log]");
    this.state = place.querySelector("[data-trial-state]");
    this.figures = place.querySelector("[data-trial-figures]");
  }

  headers() {
    return { "content-type": "application/json", accept: "application/json", "x-csrftoken": this.form.elements.csrfmiddlewaretoken.value };
  }

  clear() {
    this.conversation = null;
    this.log.replaceChildren();
    this.figures.replaceChildren();
    this.state.textContent = "";
  }

  /* Whether the last answer stopped at a call without a recorded result: then its question is asked again. */
  get isUnanswered() {
    return Boolean(this.answer?.isUnrecorded);
  }

  async ask(question, release, more) {
    this.log.querySelector(".agent-try-empty")?.remove();
    const again = this.isUnanswered && this.lastQuestion === question;
    const body = JSON.stringify({ text: question, release, again, conversation: this.conversation, ...more });
    const response = await fetch(this.box.dataset.trialSend, { method: "POST", headers: this.headers(), body });
    if (!response.ok) throw new Error(await refusal(response));
    if (again) this.answer.place.remove();
    else this.log.append(element("p", "agent-try-question", question));
    this.lastQuestion = question;
    this.conversation = response.headers.get("x-parley-conversation");
    await this.follow(response, new Answer(this));
  }

  /* Read the answer to its end, or to where it waits for a decision. */
  async follow(response, answer) {
    this.answer = answer;
    this.state.textContent = word("Writing…");
    this.setBusy(true);
    try {
      for await (const chunk of chunksOf(response)) answer.take(chunk);
    } finally {
      this.setBusy(false);
    }
    this.state.textContent = answer.waits ? word("Waits for you") : answer.error ? word("Failed") : word("Done in {seconds} s", { seconds: answer.seconds() });
  }

  setBusy(isBusy) {
    this.isBusy = isBusy;
    this.onBusy();
  }

  async stop() {
    if (!this.conversation) return;
    await fetch(`${this.box.dataset.trialApi}conversations/${this.conversation}/stop/`, { method: "POST", headers: this.headers() });
  }

  async decide(approvalId, approved) {
    const url = `${this.box.dataset.trialApi}conversations/${this.conversation}/approvals/${approvalId}/`;
    const decided = await fetch(url, { method: "POST", headers: this.headers(), body: JSON.stringify({ approved }) });
    if (!decided.ok) throw new Error(await refusal(decided));
    const response = await fetch(`${this.box.dataset.trialApi}chat/${this.conversation}/stream`);
    if (response.status !== 200) return;
    const again = new Answer(this, this.answer.place); // the stream begins with the answer's beginning
    await this.follow(response, again);
  }

  draw(metadata) {
    const count = (number) => new Intl.NumberFormat(document.documentElement.lang).format(number);
    const used = metadata.usage;
    const parts = used ? [word("{read} in, {written} out", { read: count(used.inputTokens), written: count(used.outputTokens + used.thinkingTokens) })] : [];
    if (metadata.costUsd === null) parts.push(word("price unknown"));
    else if (metadata.costUsd !== undefined) parts.push(`$${metadata.costUsd.toFixed(4)}`);
    this.figures.replaceChildren(element("span", "", parts.join(" · ")));
    if (!metadata.runId) return;
    const run = Object.assign(element("a", "parley-link", word("Open as run")), { href: `${this.box.dataset.trialRun}${metadata.runId}/?texts=1`, target: "_blank" });
    const saved = Object.assign(element("a", "parley-link", word("Save as case")), { href: `${this.box.dataset.trialCase}from-run/${metadata.runId}/`, target: "_blank" });
    const reuse = Object.assign(element("button", "parley-link", word("Use its tool results")), { type: "button" });
    reuse.addEventListener("click", () => this.box.dispatchEvent(new CustomEvent("trial-results", { detail: run.href })));
    this.figures.append(run, saved);
    if (this.answer?.place.querySelector(".agent-try-tool")) this.figures.append(reuse);
  }

  /* Keep the end in sight if it is: measured once a frame, because each measure makes the browser lay out the whole page. */
  followEnd() {
    if (this.frame) return;
    const atEnd = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 40;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (atEnd) this.log.scrollTop = this.log.scrollHeight;
    });
  }
}

/* One answer as it is drawn: texts, thoughts, tools and notices in the order in which they come. */
class Answer {
  constructor(column, place = null) {
    Object.assign(this, { column, parts: new Map(), calls: new Map(), metadata: {}, waits: false, error: "", isUnrecorded: false, began: performance.now() });
    this.place = place ?? element("div", "agent-try-answer");
    this.place.replaceChildren();
    if (!place) column.log.append(this.place);
  }

  seconds() {
    return ((performance.now() - this.began) / 1000).toFixed(1);
  }

  take(chunk) {
    this.column.followEnd();
    this[Answer.ways[chunk.type]]?.(chunk);
    if (chunk.messageMetadata) {
      Object.assign(this.metadata, chunk.messageMetadata);
      this.waits = Boolean(this.metadata.waiting);
      this.column.draw(this.metadata);
    }
  }

  part(id, make) {
    if (!this.parts.has(id)) {
      const made = make();
      this.parts.set(id, made);
      this.place.append(made);
    }
    return this.parts.get(id);
  }

  text({ id, delta }) {
    this.part(`text ${id}`, () => element("p", "agent-try-text")).append(delta);
  }

  thought({ id, delta }) {
    const thought = this.part(`thought ${id}`, () => {
      const details = element("details", "agent-try-thought");
      details.append(element("summary", "", word("Thoughts")), element("p"));
      return details;
    });
    thought.querySelector("p").append(delta);
  }

  tool({ toolCallId, toolName, input }) {
    const details = this.part(`tool ${toolCallId}`, () => {
      const made = element("details", "agent-try-tool");
      const summary = element("summary");
      summary.append(element("code", "", toolName ?? word("Tool")), element("span", "agent-try-tool-state", word("Working…")));
      made.append(summary);
      return made;
    });
    if (input !== undefined) this.calls.set(toolCallId, { tool: toolName, arguments: input });
    if (input !== undefined && !details.querySelector(".is-input")) details.append(element("pre", "is-input", asText(input)));
  }

  result({ toolCallId, output, errorText, preliminary }) {
    if (preliminary) return;
    const details = this.parts.get(`tool ${toolCallId}`);
    if (!details) return;
    this.endedCallId = toolCallId;
    details.querySelector(".agent-try-ask")?.remove();
    details.querySelector(".agent-try-tool-state").textContent = errorText ? word("Failed") : word("Done");
    details.append(element("pre", errorText ? "is-bad" : "", errorText ?? asText(output)));
  }

  denied({ toolCallId }) {
    this.result({ toolCallId, errorText: word("You denied it.") });
  }

  approval({ approvalId, toolCallId, reason }) {
    const details = this.parts.get(`tool ${toolCallId}`);
    if (!details) return;
    details.open = true;
    details.querySelector(".agent-try-tool-state").textContent = word("Asks you");
    const asks = element("div", "agent-try-ask");
    asks.dataset.approval = approvalId;
    if (reason) asks.append(element("p", "", reason));
    for (const [label, approved] of [[word("Allow"), true], [word("Deny"), false]]) {
      const choice = Object.assign(element("button", approved ? "parley-button" : "parley-button parley-button-plain", label), { type: "button" });
      choice.addEventListener("click", () => this.decide(asks, approvalId, approved));
      asks.append(choice);
    }
    details.append(asks);
  }

  /* The question goes with the answer's new beginning; when the decision did not arrive, it can be made again. */
  async decide(asks, approvalId, approved) {
    const choices = [...asks.querySelectorAll("button")];
    choices.forEach((choice) => (choice.disabled = true));
    try {
      await this.column.decide(approvalId, approved);
    } catch (error) {
      this.failed({ errorText: error.message });
      choices.forEach((choice) => (choice.disabled = false));
    }
  }

  decided({ approvalId }) {
    this.place.querySelector(`[data-approval="${CSS.escape(approvalId)}"]`)?.remove();
  }

  notice({ data }) {
    this.place.append(element("p", `agent-try-notice${data.level === "error" ? " is-bad" : ""}`, data.text));
    if (data.code === "unrecorded_call" || data.code === "unrecorded_reading") this.askForResult();
  }

  /* Offer to enter what the tool would have given; then the question is asked again. */
  askForResult() {
    const call = this.calls.get(this.endedCallId);
    this.isUnrecorded = true;
    if (!call) return;
    const box = element("div", "agent-try-ask");
    const result = Object.assign(element("textarea"), { rows: 3, maxLength: 100000 });
    result.setAttribute("aria-label", word("What {tool} would have given, as text or JSON", { tool: call.tool }));
    const use = Object.assign(element("button", "parley-button", word("Use this result")), { type: "button" });
    use.addEventListener("click", () => {
      if (!result.value.trim()) return result.focus();
      this.column.box.dispatchEvent(new CustomEvent("trial-entered", { detail: { ...call, result: result.value } }));
    });
    box.append(element("p", "", word("What would {tool} have given, as text or JSON?", { tool: call.tool })), result, use);
    this.place.append(box);
  }

  artifact({ id, data }) {
    const shown = this.part(`artifact ${id ?? data.id}`, () => element("p", "agent-try-notice"));
    shown.textContent = word("{title}: {kind}, version {version}", { title: data.title, kind: data.kind, version: data.version ?? "…" });
  }

  failed({ errorText }) {
    this.error = errorText;
    this.place.append(element("p", "agent-try-notice is-bad", errorText));
  }
}
Answer.ways = {
  "text-delta": "text",
  "reasoning-delta": "thought",
  "tool-input-start": "tool",
  "tool-input-available": "tool",
  "tool-output-available": "result",
  "tool-output-error": "result",
  "tool-output-denied": "denied",
  "tool-approval-request": "approval",
  "tool-approval-response": "decided",
  "data-notice": "notice",
  "data-artifact": "artifact",
  error: "failed",
};

function element(tag, className = "", text = "") {
  return Object.assign(document.createElement(tag), { className, textContent: text });
}

/* Return the id of a run in its address, or null. */
function idIn(address) {
  return address.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i)?.[0] ?? null;
}

function asText(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

async function refusal(response) {
  const reply = await response.json().catch(() => ({}));
  return reply.error?.message ?? word("The server could not do this. Try again.");
}

/* Yield the chunks of an event stream. */
async function* chunksOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const line = event.startsWith("data: ") ? event.slice(6) : "";
      if (line && line !== "[DONE]") yield JSON.parse(line);
    }
  }
}
