// Placeholder of sign-in until its endpoints answer.
import { t } from "./i18n.js";
import { toast } from "./toast.js";

export function askToSignIn() { toast(t("signin")); }
