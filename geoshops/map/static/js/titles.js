export function tellTitles() {}
