// Starts all parts of the page.
import { startAccount } from "./member/account.js";
import { startFavorites } from "./member/favorites.js";
import { startLanguage } from "./shared/i18n.js";
import { startChips } from "./shops/chips.js";
import { startCompare } from "./shops/compare.js";
import { startDraw } from "./map/draw.js";
import { startHours } from "./shops/hours.js";
import { startList } from "./shops/list.js";
import { retryTiles, showPlace, startMap } from "./map/map.js";
import { loadMember, startMember } from "./member/member.js";
import { startMeet } from "./shops/meet.js";
import { startNear } from "./map/near.js";
import { idle } from "./shared/idle.js";
import { lastView, onReconnect, startOffline, startServiceWorker } from "./shared/offline.js";
import { startReviews } from "./shops/reviews.js";
import { loadBrands, search, searchOnChanges } from "./shops/search.js";
import { startSheet } from "./shops/sheet.js";
import { started } from "./shared/started.js";
import { state } from "./shared/state.js";
import { finishSignIn, takeCallback } from "./member/signin.js";
import { startSuggest } from "./shops/suggest.js";
import { startTheme } from "./shared/theme.js";
import { startTitle } from "./shared/title.js";
import { keepUrl, readUrl } from "./shared/url.js";

const callback = takeCallback();
const last = lastView();
if (last) history.replaceState(null, "", last);
readUrl();
startTheme();
startLanguage();
startList();
startChips();
const listed = search();
loadBrands();
startOffline();
startMap(listed);
started.then(idle).then(startServiceWorker);
startNear();
startDraw();
startSuggest();
startSheet();
startHours();
searchOnChanges();
keepUrl(showPlace);
startTitle();
startCompare();
startMeet();
startFavorites();
startReviews();
startMember();
startAccount();
finishSignIn(callback);
onReconnect(() => {
  // A failed search is repeated as all that failed.
  if (state.status !== "error") search();
  loadBrands();
  retryTiles();
  if (!state.member) loadMember();
});

// for the browser tests and for the console, as the page has no global variables
export { archiveMap } from "./map/archive.js";
export { map } from "./map/map.js";
export { state } from "./shared/state.js";
