// The documentation of the API: Swagger UI, which is large, is loaded once a reader opens an operation of the overview.
const { assets, swagger } = document.body.dataset;
const overview = document.getElementById("overview");
const reference = document.getElementById("reference");
const docs = document.getElementById("docs");
const waiting = docs.firstElementChild;
const isOperation = () => location.hash.startsWith("#/");

// Swagger UI has a dark mode of its own.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const dress = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", dress);
dress();

// Before the page's own style sheet, which adapts that of Swagger UI.
function element(tag, attributes) {
  return new Promise((resolve, reject) => {
    document.head.prepend(Object.assign(document.createElement(tag), attributes, { onload: resolve, onerror: reject }));
  });
}

async function read(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(address);
  return response.json();
}

const operationsOf = (spec) => Object.values(spec.paths).flatMap((path) => Object.values(path)).filter((part) => part.operationId);

// Swagger UI sends the example of each parameter that it shows. Those that may be left out would narrow the result to
// nothing, so their examples become part of the description.
function tellExample(parameter, word) {
  const { example = parameter.schema.example, ...rest } = parameter;
  if (parameter.required || parameter.in === "path" || example === undefined) return parameter;
  const { example: _, ...schema } = parameter.schema;
  return { ...rest, schema, description: `${parameter.description ?? ""} (${word} \`${[example].flat().join(",")}\`)` };
}

// The document is English; `texts` has what differs.
function translated(spec, { page, tags = {}, operations = {}, parameters = {} }) {
  const described = (parameter) => ({ ...parameter, description: parameters[parameter.name] ?? parameter.description });
  const all = (list = []) => list.map((parameter) => tellExample(described(parameter), page.example));
  spec.info.description = "";
  for (const tag of spec.tags) tag.description = tags[tag.name] ?? tag.description;
  for (const path of Object.values(spec.paths)) if (path.parameters) path.parameters = all(path.parameters);
  for (const operation of operationsOf(spec)) Object.assign(operation, operations[operation.operationId], { parameters: all(operation.parameters) });
  return spec;
}

// What Swagger UI draws without names, without a place for the keyboard, or as a link inside a button.
function tidy() {
  for (const field of docs.querySelectorAll(":is(select, textarea):not([aria-label])")) {
    field.setAttribute("aria-label", field.closest("tr")?.dataset.paramName ?? (field.id || "Body"));
  }
  for (const code of docs.querySelectorAll("pre.microlight:not([tabindex])")) code.tabIndex = 0;
  for (const link of docs.querySelectorAll(".opblock-summary-control a[href]")) link.removeAttribute("href");
  for (const box of docs.querySelectorAll(".scheme-container:not([role])")) {
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Server");
  }
}

new MutationObserver(tidy).observe(docs, { childList: true, subtree: true });

let loaded = null;

function load() {
  return Promise.all([
    read("/openapi.json"), read(`${assets}/${document.documentElement.lang}.json`),
    element("script", { src: `${swagger}/swagger-ui-bundle.js` }), element("link", { rel: "stylesheet", href: `${swagger}/swagger-ui.css` }),
  ]);
}

async function open() {
  try {
    const [spec, texts] = await (loaded ??= load());
    window.SwaggerUIBundle({
      spec: translated(structuredClone(spec), texts), dom_id: "#docs", deepLinking: true, docExpansion: "none", defaultModelsExpandDepth: 0,
    });
  } catch {
    loaded = null;
    waiting.textContent = waiting.dataset.failed;
  }
}

function show() {
  const wasOpen = !reference.hidden;
  overview.hidden = isOperation();
  reference.hidden = !isOperation();
  if (isOperation() && !wasOpen) open();
  if (!isOperation() && wasOpen) window.scrollTo(0, 0);
}

// Swagger UI changes the address while it is open, but Back leads to the overview.
history.pushState = history.replaceState;
window.addEventListener("hashchange", show);
show();
