// What a visitor came for, the list and its shops on the map, is loaded before everything else, such as streets, opening
// hours and badges out of sight.
let resolve = null;
let over = false;

// Resolves once the map is in sight, or known to be missing.
export const started = new Promise((done) => { resolve = done; });
export const isStarted = () => over;

// In a later task, so that nothing of it counts among what was needed.
export const markStarted = () => setTimeout(() => { over = true; resolve(); }, 0);
