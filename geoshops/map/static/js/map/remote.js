// Streets of an online style: the style, its sources and one tile must answer in time.
import { colours } from "./basemap.js";
import { BORDERS, NAMES } from "./context.js";
import { isOpenMapTiles, restyled } from "./look.js";

const read = async (url, signal) => {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(url);
  return response.json();
};

// Sources with their TileJSON, so that MapLibre need not load it.
async function resolved(source, base, signal) {
  if (!source.url) return source;
  const { url, ...given } = source;
  const { tiles, minzoom, maxzoom, bounds, attribution, scheme } = await read(new URL(url, base), signal);
  const told = Object.entries({ tiles, minzoom, maxzoom, bounds, attribution, scheme }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(told), ...given };
}

function tileAt({ lng, lat }, zoom) {
  const size = 2 ** zoom;
  const y = Math.asinh(Math.tan((lat * Math.PI) / 180));
  return [Math.floor(((lng + 180) / 360) * size), Math.floor(((1 - y / Math.PI) / 2) * size)];
}

async function probe({ tiles, minzoom = 0, maxzoom = 22 }, { center, zoom }, signal) {
  const z = Math.max(minzoom, Math.min(maxzoom, Math.floor(zoom)));
  const [x, y] = tileAt(center, z);
  const response = await fetch(tiles[0].replace("{z}", z).replace("{x}", x).replace("{y}", y), { signal });
  if (!response.ok && response.status !== 404) throw new Error(response.url);
  await response.arrayBuffer();
}

export async function remoteStreets(url, view, signal) {
  const style = await read(url, signal);
  const used = new Set(style.layers.map((layer) => layer.source));
  const named = Object.entries(style.sources).filter(([name]) => used.has(name));
  const sources = Object.fromEntries(await Promise.all(named.map(async ([name, source]) => [name, await resolved(source, url, signal)])));
  const tiled = Object.values(sources).find((source) => source.tiles);
  if (tiled) await probe(tiled, view, signal);
  return {
    sources, layers: (theme) => restyled(style.layers, colours(theme)), sprite: isOpenMapTiles(style.layers) ? null : style.sprite,
    opaque: true, hides: [...BORDERS, ...NAMES],
  };
}
