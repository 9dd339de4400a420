import { useContext } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../../button/Button.tsx';
import { SentenceContext } from './sentence-context.ts';
import './filter.css';

const numberFormat = new Intl.NumberFormat();

/** Last line of the card of a chip: in a sentence with the number of matches and the button that closes the card. */
export default function FilterFoot({ onDone, children }: { onDone: () => void; children: ReactNode }) {
  const sentence = useContext(SentenceContext);
  return (
    <footer className="filter-foot">
      {sentence?.matchCount !== undefined && (
        <span className="num">
          <b>{numberFormat.format(sentence.matchCount)}</b> {sentence.matchCount === 1 ? 'matches' : 'match'}
        </span>
      )}
      {children}
      {sentence && (
        <Button variant="primary" size="small" onClick={onDone}>
          Done
        </Button>
      )}
    </footer>
  );
}
