import { createStore } from './store.ts';

interface ToastOptions {
  /** A toast replaces an earlier one with the same key. */
  key?: string;
  title: string;
  description?: string;
  tone?: 'ok' | 'bad' | 'info';
  action?: { label: string; onSelect: () => void };
  /** Page with more about it. */
  link?: { label: string; path: string };
}

export interface ToastItem extends ToastOptions {
  id: number;
}

export const toastStore = createStore<readonly ToastItem[]>([]);

let lastId = 0;
const MAX_TOASTS = 4;

/** Shows a toast. Errors stay until they are closed; others disappear by themselves. */
export function toast(options: ToastOptions) {
  lastId += 1;
  const { key, tone } = options;
  let others = toastStore.get().filter((item) => key === undefined || item.key !== key);
  while (others.length >= MAX_TOASTS) {
    // An error makes room only for another error.
    const removed = others.find((item) => item.tone !== 'bad') ?? (tone === 'bad' ? others[0] : undefined);
    if (!removed) break;
    others = others.filter((item) => item !== removed);
  }
  toastStore.set([...others, { ...options, id: lastId }]);
}

export function dismissToast(id: number) {
  toastStore.set(toastStore.get().filter((item) => item.id !== id));
}
