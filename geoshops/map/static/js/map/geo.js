// GeoJSON and spherical geometry for drawing only; displayed distances come from the service.
export const collection = (features) => ({ type: "FeatureCollection", features });
export const EMPTY = collection([]);

const EARTH_RADIUS_M = 6371008.8;
const rad = (degrees) => (degrees * Math.PI) / 180;
const deg = (radians) => (radians * 180) / Math.PI;

export function destination({ lng, lat }, bearing, distance_m) {
  const angle = distance_m / EARTH_RADIUS_M;
  const lat1 = rad(lat);
  const lat2 = Math.asin(Math.sin(lat1) * Math.cos(angle) + Math.cos(lat1) * Math.sin(angle) * Math.cos(bearing));
  const east = Math.sin(bearing) * Math.sin(angle) * Math.cos(lat1);
  return [lng + deg(Math.atan2(east, Math.cos(angle) - Math.sin(lat1) * Math.sin(lat2))), deg(lat2)];
}

export function circle(center, radius_m, corners = 96) {
  const ring = Array.from({ length: corners + 1 }, (_, i) => destination(center, (2 * Math.PI * i) / corners, radius_m));
  return { type: "Feature", properties: {}, geometry: { type: "Polygon", coordinates: [ring] } };
}

// Web Mercator resolution; the world is 512 pixels wide at zoom 0.
export const metresPerPixel = (lat, zoom) => (2 * Math.PI * 6378137 * Math.cos(rad(lat))) / (512 * 2 ** zoom);

export function boundsOf(center, radius_m) {
  const [north, east, south, west] = [0, 1, 2, 3].map((i) => destination(center, (i * Math.PI) / 2, radius_m));
  return [[west[0], south[1]], [east[0], north[1]]];
}
