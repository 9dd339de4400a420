import { createStore } from './store.ts';

interface ToastOptions {
  title: string;
  description?: string;
  tone?: 'ok' | 'bad' | 'info';
  action?: { label: string; onSelect: () => void };
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
  toastStore.set([...toastStore.get(), { ...options, id: lastId }].slice(-MAX_TOASTS));
}

export function dismissToast(id: number) {
  toastStore.set(toastStore.get().filter((item) => item.id !== id));
}
