// What a visitor came for, the list and its shops on the map, is loaded before streets and opening hours.
let resolve = null;

// Resolves once the map is in sight, or known to be missing.
export const started = new Promise((done) => { resolve = done; });

// In a later task, so that nothing of it counts among what was needed.
export const markStarted = () => setTimeout(resolve, 0);
