// Puts the page together.
import { translatePage, otherLanguage } from "./i18n.js";
import { one } from "./dom.js";
import { startChips } from "./chips.js";
import { startList } from "./list.js";
import { startMap } from "./map.js";
import { startNear } from "./near.js";
import { loadBrands, search, searchOnChanges } from "./search.js";
import { startSheet } from "./sheet.js";
import { startSuggest } from "./suggest.js";
import { startTheme } from "./theme.js";
import { keepUrl, readUrl } from "./url.js";

translatePage();
readUrl();
startTheme();
one("#language").addEventListener("click", otherLanguage);
startList();
startChips();
search();
loadBrands();
startMap();
startNear();
startSuggest();
startSheet();
searchOnChanges();
keepUrl();
window.addEventListener("popstate", readUrl);
