// Drafts of reviews, kept in this browser until they are sent or discarded.
import { state } from "../shared/state.js";

// Members who share a browser do not see each other's drafts.
const prefix = (member) => `draft:${member?.id ?? ""}:`;

export const draftName = (shop_id, review_id = "new") => `${prefix(state.member)}${shop_id}:${review_id}`;

export function readDraft(name) {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
}

export const keepDraft = (name, draft) => localStorage.setItem(name, JSON.stringify(draft));
export const dropDraft = (name) => localStorage.removeItem(name);

export function dropDraftsOf(member) {
  for (const name of Object.keys(localStorage)) if (name.startsWith(prefix(member))) dropDraft(name);
}
