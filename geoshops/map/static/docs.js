// Opens the API documentation; a file of its own because the policy allows no inline script.
window.SwaggerUIBundle({ url: "/openapi.json", dom_id: "#docs", deepLinking: true });
