import { ArrowUp, Pause } from 'lucide-react';
import { count } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';

interface NewRowsProps {
  live: boolean;
  /** Somebody is reading further down or is on a row. */
  held: boolean;
  waiting: number;
  /** More came than could be told apart. */
  gap: boolean;
  onShow: () => void;
}

/** What came since the report was opened and waits to be looked at. */
export function NewRows({ live, held, waiting, gap, onShow }: NewRowsProps) {
  const paused = live && held;
  if (waiting === 0 && !paused) return null;
  return (
    <div className="act-new">
      {paused && (
        <span className="act-paused">
          <Pause />
          Live is paused while you read
        </span>
      )}
      {waiting > 0 && (
        <Button size="small" icon={ArrowUp} onClick={onShow}>
          {count(waiting)}
          {gap && '+'} new
        </Button>
      )}
    </div>
  );
}
