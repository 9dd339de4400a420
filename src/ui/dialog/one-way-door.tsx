import type { ReactNode } from 'react';
import { confirm } from './confirm.ts';

/** The three answers that every act without a way back gives before it is done. */
export interface OneWay {
  /** What cannot be undone. */
  final: ReactNode;
  /** What stops working. */
  breaks: ReactNode;
  /** Who is affected. */
  affects: ReactNode;
  /** What is known of it in detail. */
  details?: ReactNode;
}

interface OneWayDoor extends OneWay {
  title: string;
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
  confirm({ ...question, danger: true, body: <OneWayWords {...{ final, breaks, affects, details }} /> });

/** The same answers where the act has a dialog of its own. */
export function OneWayWords({ final, breaks, affects, details }: OneWay) {
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
