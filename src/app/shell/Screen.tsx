import type { ReactNode } from 'react';
import { Toaster } from '../../ui/feedback/Toaster.tsx';
import { LiveRegion } from '../../ui/layout/LiveRegion.tsx';
import { WaitingNotice } from './WaitingNotice.tsx';
import './screen.css';

/**
 * The whole window: a page and, below it, the messages. Messages have a row of their own instead of floating, so that they
 * never cover a control.
 */
export function Screen({ children }: { children: ReactNode }) {
  return (
    <>
      <div className="screen">{children}</div>
      <Toaster>
        <WaitingNotice />
      </Toaster>
      <LiveRegion />
    </>
  );
}
