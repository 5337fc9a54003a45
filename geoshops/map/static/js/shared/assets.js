// Addresses of static files, which change with every release.
export const asset = (name) => `${document.body.dataset.assets}/${name}`;
