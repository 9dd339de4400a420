/** Functions of this process that are called with each value. */
export interface Listeners<Value> {
  /** Adds a listener; returns a function that removes it. */
  add: (listener: (value: Value) => void) => () => void;
  call: (value: Value) => void;
}

export function createListeners<Value>(): Listeners<Value> {
  const listeners = new Set<(value: Value) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    call(value) {
      for (const listener of listeners) listener(value);
    },
  };
}
