import type { ReactNode } from 'react';
import type { Tone } from './tone.ts';
import './tone.css';

/** A state or a kind in one or two words. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge tone-${tone}`}>{children}</span>;
}
