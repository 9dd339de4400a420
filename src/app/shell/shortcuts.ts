import { useEffect, useEffectEvent } from 'react';
import { createStore, useStore } from '../../ui/store.ts';

/** `keys` is one key ("?"), two in a row ("g u") or one with Ctrl or Cmd ("mod+k"). */
export interface Shortcut {
  keys: string;
  label: string;
  /** The heading it stands under in the cheat sheet. */
  group: string;
}

interface Registered extends Shortcut {
  /** Undefined where whatever has the focus takes the key itself. */
  run: (() => void) | undefined;
}

const registry = createStore<readonly Registered[]>([]);
const SINGLE_KEYS = 'steward-single-keys';
const singleKeys = createStore(localStorage.getItem(SINGLE_KEYS) !== 'off');
const SEQUENCE_WITHIN = 1200;

/** Everything that can be pressed here and now, for the cheat sheet. */
export const useShortcuts = (): readonly Shortcut[] => useStore(registry);

/** Whether shortcuts of plain keys work: speech input types letters that nobody meant (WCAG 2.1.4). */
export const useSingleKeys = (): boolean => useStore(singleKeys);

/** Switches the shortcuts of plain keys on or off, remembered in this browser. */
export function setSingleKeys(on: boolean): void {
  localStorage.setItem(SINGLE_KEYS, on ? 'on' : 'off');
  singleKeys.set(on);
}

/**
 * Offers shortcuts while the component is on the page; the list is a constant, or memoised. Later ones win
 * over earlier ones with the same keys. Without `onPress` they are told of, and taken where the focus is.
 */
export function useShortcut(shortcuts: readonly Shortcut[], onPress?: (shortcut: Shortcut) => void): void {
  const press = useEffectEvent((shortcut: Shortcut) => onPress?.(shortcut));
  const isTaken = onPress !== undefined;
  useEffect(() => {
    const mine = shortcuts.map((shortcut) => ({
      ...shortcut,
      run: isTaken ? () => press(shortcut) : undefined,
    }));
    registry.set([...registry.get(), ...mine]);
    return () => registry.set(registry.get().filter((one) => !mine.some((own) => own === one)));
  }, [shortcuts, isTaken]);
}

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'));

const MODAL = 'dialog:modal, [role=dialog], [role=alertdialog], [role=menu]';
const inDialog = (): boolean => document.querySelector(MODAL) !== null;

let first: { key: string; at: number } | undefined;

function keysOf(event: KeyboardEvent): string {
  if (event.ctrlKey || event.metaKey) return `mod+${event.key.toLowerCase()}`;
  const sequence =
    first && event.timeStamp - first.at < SEQUENCE_WITHIN ? `${first.key} ${event.key}` : event.key;
  return sequence.toLowerCase();
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.repeat || event.isComposing || inDialog()) return;
  const keys = keysOf(event);
  // With Ctrl or Cmd nothing is typed: these work inside fields too.
  if (!keys.startsWith('mod+') && (typing(event.target) || !singleKeys.get())) return;
  const all = registry.get();
  const hit = all.findLast((one) => one.run && one.keys === keys);
  first =
    !hit && all.some((one) => one.run && one.keys.startsWith(`${event.key} `))
      ? { key: event.key, at: event.timeStamp }
      : undefined;
  if (!hit?.run) return;
  event.preventDefault();
  hit.run();
}

/** Listens to the keyboard; called once by the shell's start. */
export function listenToKeys(): void {
  document.addEventListener('keydown', onKeyDown);
}
