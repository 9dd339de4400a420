import { useEffect, useEffectEvent } from 'react';
import { saveLocally } from '../../lib/local-storage.ts';
import { createStore, useStore } from '../store.ts';

/** Name of the key that starts most shortcuts on this system. */
export const MODIFIER_KEY = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl';

/** `keys` is one key ("?"), two in a row ("g u") or one with Ctrl or Cmd ("mod+k"). */
export interface Shortcut {
  keys: string;
  label: string;
  /** Heading in the cheat sheet. */
  group: string;
}

interface RegisteredShortcut extends Shortcut {
  /** Undefined if the focused element handles the key itself. */
  run: (() => void) | undefined;
}

const registry = createStore<readonly RegisteredShortcut[]>([]);
const SINGLE_KEYS_STORAGE_KEY = 'steward-single-keys';
const singleKeysEnabled = createStore(localStorage.getItem(SINGLE_KEYS_STORAGE_KEY) !== 'off');
const SEQUENCE_TIMEOUT_MS = 1200;

/** Returns all currently available shortcuts, for the cheat sheet. */
export const useShortcuts = (): readonly Shortcut[] => useStore(registry);

/** Returns whether single-key shortcuts are enabled; speech input can trigger them by mistake (WCAG 2.1.4). */
export const useSingleKeysEnabled = (): boolean => useStore(singleKeysEnabled);

/** Enables or disables single-key shortcuts; stored in this browser. */
export function setSingleKeysEnabled(on: boolean): void {
  saveLocally(SINGLE_KEYS_STORAGE_KEY, on ? 'on' : 'off');
  singleKeysEnabled.set(on);
}

/**
 * Registers shortcuts while the component is mounted; the list must be constant or memoized. Later ones override earlier
 * ones with the same keys. Without `onPress` they are only listed, and the focused element handles them.
 */
export function useShortcut(shortcuts: readonly Shortcut[], onPress?: (shortcut: Shortcut) => void): void {
  const press = useEffectEvent((shortcut: Shortcut) => onPress?.(shortcut));
  const isTaken = onPress !== undefined;
  useEffect(() => {
    const registered = shortcuts.map((shortcut) => ({
      ...shortcut,
      run: isTaken ? () => press(shortcut) : undefined,
    }));
    registry.set([...registry.get(), ...registered]);
    return () =>
      registry.set(
        registry.get().filter((one) => !registered.some((registeredShortcut) => registeredShortcut === one)),
      );
  }, [shortcuts, isTaken]);
}

const isTextInput = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'));

const MODAL_SELECTOR = 'dialog:modal, [role=dialog], [role=alertdialog], [role=menu]';
const isModalOpen = (): boolean => document.querySelector(MODAL_SELECTOR) !== null;

let firstKey: { key: string; at: number } | undefined;

function toKeys(event: KeyboardEvent): string {
  if (event.ctrlKey || event.metaKey) return `mod+${event.key.toLowerCase()}`;
  const sequence =
    firstKey && event.timeStamp - firstKey.at < SEQUENCE_TIMEOUT_MS
      ? `${firstKey.key} ${event.key}`
      : event.key;
  return sequence.toLowerCase();
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.repeat || event.isComposing || isModalOpen()) return;
  const keys = toKeys(event);
  // Shortcuts with Ctrl or Cmd also work in text fields.
  if (!keys.startsWith('mod+') && (isTextInput(event.target) || !singleKeysEnabled.get())) return;
  const all = registry.get();
  const hit = all.findLast((one) => one.run && one.keys === keys);
  firstKey =
    !hit && all.some((one) => one.run && one.keys.startsWith(`${event.key} `))
      ? { key: event.key, at: event.timeStamp }
      : undefined;
  if (!hit?.run) return;
  event.preventDefault();
  hit.run();
}

/** Starts listening to the keyboard; called once at start. */
export function listenToKeys(): void {
  document.addEventListener('keydown', onKeyDown);
}
