// Opens the API documentation. A separate file because the content security policy forbids inline scripts.
window.SwaggerUIBundle({ url: "/openapi.json", dom_id: "#docs", deepLinking: true });
