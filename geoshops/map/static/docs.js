// Opens the API documentation. A separate file because the content security policy forbids inline scripts.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const dress = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", dress);
dress();
// Swagger UI gives this choice no name.
const onComplete = () => document.getElementById("servers")?.setAttribute("aria-label", "Server");
window.SwaggerUIBundle({ url: "/openapi.json", dom_id: "#docs", deepLinking: true, onComplete });
