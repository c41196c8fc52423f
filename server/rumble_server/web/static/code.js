// The page on which a person writes a bot, tries it against a reference bot, and lets it play a tournament.

import { Draft } from "./code/draft.js";
import { openPlayPanel } from "./code/play_panel.js";
import { Pool } from "./code/pool.js";
import { Sandbox } from "./code/sandbox.js";
import { TrialPanel } from "./code/trial_panel.js";
import { byId } from "./elements.js";

const page = byId("code-page");
const files = page.dataset.files;
const sandbox = new Sandbox(files);
const pool = new Pool(sandbox);
const draft = await Draft.open(byId("editor"), files);

openPlayPanel(draft, pool);
if (files) new TrialPanel(draft, pool);
