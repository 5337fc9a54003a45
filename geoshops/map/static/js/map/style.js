// The map's own style: everything except streets, which are added once they are found. It is complete before the map gets
// it, because MapLibre checks each source and layer that is added later, which takes longer than drawing them.
import { addArea } from "./area.js";
import { offlineStyle } from "./basemap.js";
import { addBoothLayers } from "./booths.js";
import { addCircle } from "./circle.js";
import { addAreas, addNames, addStations } from "./context.js";
import { addField, addFieldCounts } from "./field.js";
import { addUser } from "./user.js";

export function ownStyle(theme) {
  const style = offlineStyle(theme);
  const sheet = fillable(style);
  for (const add of [addAreas, addField, addCircle, addArea, addNames, addFieldCounts, addBoothLayers, addUser, addStations]) add(sheet, theme);
  return style;
}

// Filled as a map is: `addLayer` puts the layer below another one, or uppermost.
function fillable({ sources, layers }) {
  return {
    addSource(id, source) { sources[id] = source; },
    addLayer(layer, below) {
      const at = layers.findIndex(({ id }) => id === below);
      layers.splice(at < 0 ? layers.length : at, 0, layer);
    },
  };
}
