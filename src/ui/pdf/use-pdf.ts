import { useEffect, useState } from 'react';
import { openPdf } from './pdf-document.ts';
import type { PdfDocument, PdfSource } from './pdf-document.ts';

/** State of a file that is being opened or shown. */
export type PdfState =
  | { phase: 'opening' }
  | { phase: 'password'; isWrong: boolean; submit: (password: string) => void }
  | { phase: 'open'; document: PdfDocument }
  | { phase: 'failed'; reason: string };

/** Opens a file while the component is mounted. @param source must stay the same object */
export function usePdf(source: PdfSource): PdfState {
  const [state, setState] = useState<PdfState>({ phase: 'opening' });
  useEffect(() => {
    let isCurrent = true;
    const update = (next: PdfState) => {
      if (isCurrent) setState(next);
    };
    const open = (isComplete: boolean) =>
      openPdf({
        source,
        isComplete,
        onPasswordNeeded: (submit, isWrong) =>
          update({
            phase: 'password',
            isWrong,
            submit: (password) => {
              update({ phase: 'opening' });
              submit(password);
            },
          }),
        onOpen: (document) => update({ phase: 'open', document }),
        onLastPageMissing: () => {
          close();
          update({ phase: 'opening' });
          close = open(true);
        },
        onFailure: ({ message }) => update({ phase: 'failed', reason: message }),
      });
    let close = open(false);
    return () => {
      isCurrent = false;
      close();
    };
  }, [source]);
  return state;
}
