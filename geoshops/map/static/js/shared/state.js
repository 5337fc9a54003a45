// The page's state; components subscribe to the fields that they show.
const START = { lng: 127.0276, lat: 37.4979, zoom: 14 };
export const RADII_M = [500, 1000, 2000, 5000, 10000];

export const state = {
  center: { lng: START.lng, lat: START.lat },
  zoom: START.zoom,
  placed: false,
  radius_m: 1000,
  user: null,
  query: "",
  placed_query: "",
  brand: "",
  filters: { openNow: false, minRating: false, clean: false, retouch: false, props: false },
  sort: "distance",
  follow: true,
  moved: false,
  quiet: false,
  bbox: "",
  area: "",
  status: "loading",
  error: null,
  shops: [],
  // By shop: its opening hours and whether it is open now, which is null where they are unknown.
  hours: new Map(),
  truncated: false,
  // Number of shops that the search has where it counts them, and whether there may be more.
  total: null,
  capped: false,
  ignored: "",
  searched: null,
  shop_id: null,
  shop: null,
  sheet: "half",
  lit_id: null,
  compare: [],
  comparing: false,
  member: null,
  brands: [],
  // The places of the people who want to meet; null unless a plan is open.
  meet: null,
};

const listeners = [];

export function subscribe(fields, listener) {
  listeners.push([fields, listener]);
}

export function update(changes) {
  const changed = Object.keys(changes).filter((field) => state[field] !== changes[field]);
  Object.assign(state, changes);
  for (const [fields, listener] of listeners) {
    if (fields.some((field) => changed.includes(field))) listener(state);
  }
}

// Batches synchronous changes into one call, after the map, which is notified directly, has started its worker.
export function later(listener) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    queueMicrotask(() => { waiting = false; listener(state); });
  };
}

export const MOST_PEOPLE = 10; // as in geoshops/shops/shapes.py
export const isMeeting = (s = state) => (s.meet?.length ?? 0) > 1;

// False if nobody else has room.
export function addPerson(person) {
  if (state.meet.length === MOST_PEOPLE) return false;
  update({ meet: [...state.meet, person] });
  return true;
}

// Whether the results are those around the map's centre, rather than of a keyword, a box, a drawn area or a plan to meet.
export const isAround = (s = state) => !s.query && !s.bbox && !s.area && !isMeeting(s);

export const RESULTS_FROM_ZOOM = 11.5;
// Whether the map shows clusters of all shops, and the list those of the visible map instead of a circle.
export const isFromAfar = (s = state) => isAround(s) && s.zoom < RESULTS_FROM_ZOOM;

// Distances are measured from the user if known, otherwise from the map's centre.
export const origin = () => state.user ?? state.center;
