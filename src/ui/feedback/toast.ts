import { createStore } from '../store.ts';

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
const MOST = 4;

/** Says what has happened. What went wrong stays until it is closed; the rest leaves by itself. */
export function toast(options: ToastOptions) {
  lastId += 1;
  toastStore.set([...toastStore.get(), { ...options, id: lastId }].slice(-MOST));
}

export function dismissToast(id: number) {
  toastStore.set(toastStore.get().filter((item) => item.id !== id));
}
