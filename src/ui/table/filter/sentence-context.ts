import { createContext, useContext, useState } from 'react';

/** State that the chips of a filter sentence share. */
interface SentenceState {
  /** Label of the chip whose card is open. */
  editing: string | undefined;
  setEditing: (label: string | undefined) => void;
  /** Number of rows that match the filter, if known. */
  matchCount: number | undefined;
}

export const SentenceContext = createContext<SentenceState | undefined>(undefined);

/** Whether the card of a chip is open, and a function that opens or closes it. In a sentence one card is open at most. */
export function useChipOpen(label: string): [boolean, (open: boolean) => void] {
  const sentence = useContext(SentenceContext);
  const [open, setOpen] = useState(false);
  if (!sentence) return [open, setOpen];
  return [sentence.editing === label, (next) => sentence.setEditing(next ? label : undefined)];
}
