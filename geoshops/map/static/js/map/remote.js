// Streets of an online style: the style and its sources must arrive in time.
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

export async function remoteStreets(url, signal) {
  const style = await read(url, signal);
  const used = new Set(style.layers.map((layer) => layer.source));
  const named = Object.entries(style.sources).filter(([name]) => used.has(name));
  const sources = Object.fromEntries(await Promise.all(named.map(async ([name, source]) => [name, await resolved(source, url, signal)])));
  return {
    sources, layers: (theme) => restyled(style.layers, colours(theme)), sprite: isOpenMapTiles(style.layers) ? null : style.sprite,
    opaque: true, hides: [...BORDERS, ...NAMES],
  };
}
