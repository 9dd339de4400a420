import type { ReactNode } from 'react';
import './tone.css';

/** State or kind in one or two words. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge tone-${tone}`}>{children}</span>;
}

/** Meanings of colors. */
export type Tone = 'neutral' | 'accent' | 'ok' | 'warn' | 'bad' | 'info';
