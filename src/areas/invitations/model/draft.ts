import { PERMANENT } from '../../../../contract/rules/invitations.ts';
import { checkInvitees } from '../../../api/generated/sdk.gen.ts';
import { createStore } from '../../../ui/store.ts';
import { readEntries } from './addresses.ts';
import { createChecks } from './checks.ts';
import type { Choice, Settings } from './choices.ts';
import type { Entry } from './entry.ts';
import type { InvitationRun } from './job.ts';
import { patiently } from './patient.ts';

/** Whom somebody is about to invite. It outlives its page: a way to another page loses nothing. */
interface Draft {
  text: string;
  /** What stands in the text, as of the last pause in typing. */
  entries: readonly Entry[];
  settings: Settings;
  /** What was chosen for single addresses, by their keys. */
  chosen: ReadonlyMap<string, Choice>;
}

const EMPTY: Draft = {
  text: '',
  entries: [],
  settings: { type: PERMANENT, days: 30, groups: [], addable: 'add' },
  chosen: new Map(),
};
// Half an address is not worth a question.
const PAUSE = 700;

export const draft = createStore<Draft>(EMPTY);

/** What was sent from it, on its way or at its end. */
export const inviteRun = createStore<InvitationRun | undefined>(undefined);

export const checks = createChecks(async (emails, wait) => {
  const { data, error } = await patiently(
    () => checkInvitees({ body: { emails }, throwOnError: false }),
    wait,
  );
  if (data === undefined) throw error;
  return data;
});

let timer: ReturnType<typeof setTimeout> | undefined;

function change(part: Partial<Draft>): void {
  draft.set({ ...draft.get(), ...part });
}

function read(): void {
  clearTimeout(timer);
  const entries = readEntries(draft.get().text);
  change({ entries });
  checks.want(entries);
}

/** What is being typed; it is read at the first pause. */
export function typeText(text: string): void {
  change({ text });
  clearTimeout(timer);
  timer = setTimeout(read, PAUSE);
}

/** Puts a text under what stands there: a part of its own, so that its heading is one. */
export function addText(text: string): void {
  const before = draft.get().text.trimEnd();
  change({ text: before === '' ? text : `${before}\n\n${text}` });
  read();
}

export const changeSettings = (part: Partial<Draft['settings']>): void =>
  change({ settings: { ...draft.get().settings, ...part } });

export function choose(key: string, choice: Choice): void {
  change({ chosen: new Map(draft.get().chosen).set(key, choice) });
}

/** Goes back from what was sent to the addresses; each is asked about anew, for much has changed. */
export function reviewAgain(): void {
  checks.forget(draft.get().entries.map(({ key }) => key));
  change({ chosen: new Map() });
  inviteRun.set(undefined);
  read();
}

/** An empty text; what is set for all stays. */
export function beginAnew(): void {
  clearTimeout(timer);
  change({ text: '', entries: [], chosen: new Map() });
  checks.forget([...checks.store.get().known.keys()]);
  inviteRun.set(undefined);
}

/** What is all done needs no second look; what failed, or is on its way, does. */
export function beginWhereDone(): void {
  if (inviteRun.get()?.state === 'done') beginAnew();
}
