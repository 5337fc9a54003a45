// Copies a link to the clipboard and shows a confirmation, or how to copy it by hand.
import { t } from "./i18n.js";
import { toast } from "./toast.js";

export async function copy(url) {
  try {
    await navigator.clipboard.writeText(url);
    toast(t("share.done"));
  } catch {
    toast(t("share.failed"));
  }
}
