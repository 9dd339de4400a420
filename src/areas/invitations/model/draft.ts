import { PERMANENT } from '../../../../contract/rules/people/invitations.ts';
import { checkInvitees } from '../../../api/generated/sdk/invitations.gen.ts';
import { guardStagedWork } from '../../../ui/dialog/unsaved-work.ts';
import { createStore } from '../../../ui/store.ts';
import { parseEntries } from './addresses.ts';
import type { AddressEntry } from './addresses.ts';
import { createAddressChecker } from './checks.ts';
import type { Choice, MembershipSettings } from './choices.ts';
import { retryWhenLimited } from './retry-after.ts';

/** Draft of invitations. It outlives its page. */
interface InvitationDraft {
  text: string;
  /** Entries of `parsedText`, which becomes the text after a pause in typing. */
  entries: readonly AddressEntry[];
  parsedText: string;
  settings: MembershipSettings;
  /** Choices for single addresses by key. */
  choices: ReadonlyMap<string, Choice>;
}

const EMPTY_DRAFT: InvitationDraft = {
  text: '',
  entries: [],
  parsedText: '',
  settings: { type: PERMANENT, days: 30, groups: [], addable: 'add' },
  choices: new Map(),
};
// Waits for a pause in typing, so that incomplete addresses are not checked.
const PARSE_DELAY_MS = 700;

export const draft = createStore<InvitationDraft>(EMPTY_DRAFT);

/** The latest draft for which a job was started, to correct the addresses that it could not invite. */
export const startedDraft = createStore<{ jobId: number; text: string } | undefined>(undefined);

export const addressChecker = createAddressChecker(async (emails, wait) => {
  const { data, error } = await retryWhenLimited(
    () => checkInvitees({ body: { emails }, throwOnError: false }),
    wait,
  );
  if (data === undefined) throw error;
  return data;
});

let timer: ReturnType<typeof setTimeout> | undefined;
let releaseGuard: (() => void) | undefined;

function updateDraft(part: Partial<InvitationDraft>): void {
  draft.set({ ...draft.get(), ...part });
  if (draft.get().text.trim() !== '') releaseGuard ??= guardStagedWork();
  else {
    releaseGuard?.();
    releaseGuard = undefined;
  }
}

function parseDraft(): void {
  clearTimeout(timer);
  const { text } = draft.get();
  const entries = parseEntries(text);
  updateDraft({ entries, parsedText: text });
  addressChecker.check(entries);
}

/** Changes the text; it is parsed after a pause. */
export function setDraftText(text: string): void {
  updateDraft({ text });
  clearTimeout(timer);
  timer = setTimeout(parseDraft, PARSE_DELAY_MS);
}

/** Appends a text as its own paragraph, so that its heading is recognized. */
export function appendText(text: string): void {
  const before = draft.get().text.trimEnd();
  updateDraft({ text: before === '' ? text : `${before}\n\n${text}` });
  parseDraft();
}

export const updateSettings = (part: Partial<InvitationDraft['settings']>): void =>
  updateDraft({ settings: { ...draft.get().settings, ...part } });

export function setChoice(key: string, choice: Choice): void {
  updateDraft({ choices: new Map(draft.get().choices).set(key, choice) });
}

/** Clears the text, the choices and the checks; the settings stay. */
export function clearDraft(): void {
  clearTimeout(timer);
  updateDraft({ text: '', entries: [], parsedText: '', choices: new Map() });
  addressChecker.clear([...addressChecker.store.get().checkByKey.keys()]);
}

/** Stores the sent text in `startedDraft`. Clears the draft unless its text was changed while the job was started. */
export function archiveStartedDraft(jobId: number, sentText: string): void {
  startedDraft.set({ jobId, text: sentText });
  if (draft.get().text === sentText) clearDraft();
}

/** Brings the addresses of the started job back in front of what was typed since; all are checked again. */
export function restoreStartedDraft(): void {
  const since = draft.get().text;
  const text = startedDraft.get()?.text ?? '';
  clearDraft();
  startedDraft.set(undefined);
  appendText(text);
  if (since.trim() !== '') appendText(since);
}
