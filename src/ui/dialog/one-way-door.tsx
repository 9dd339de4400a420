import type { ReactNode } from 'react';
import { confirm } from './confirm.ts';

interface OneWayDoor {
  title: string;
  /** What cannot be undone. */
  final: ReactNode;
  /** What stops working. */
  breaks: ReactNode;
  /** Who is affected. */
  affects: ReactNode;
  /** What is known of it in detail. */
  details?: ReactNode;
  /** The verb on the button. */
  action: string;
  cancel?: string;
  /** What has to be typed before. */
  typed?: string;
  /** Runs while the dialog stays; a rejection is shown in it. */
  run: () => Promise<unknown>;
}

/** Asks before an act that has no way back, always in the same three answers. True when it was done. */
export const passOneWayDoor = ({
  final,
  breaks,
  affects,
  details,
  ...question
}: OneWayDoor): Promise<boolean> =>
  confirm({ ...question, danger: true, body: <DoorWords {...{ final, breaks, affects, details }} /> });

function DoorWords({
  final,
  breaks,
  affects,
  details,
}: Pick<OneWayDoor, 'final' | 'breaks' | 'affects' | 'details'>) {
  return (
    <div className="one-way">
      <dl>
        <dt>No way back</dt>
        <dd>{final}</dd>
        <dt>What it breaks</dt>
        <dd>{breaks}</dd>
        <dt>Who is affected</dt>
        <dd>{affects}</dd>
      </dl>
      {details}
    </div>
  );
}
