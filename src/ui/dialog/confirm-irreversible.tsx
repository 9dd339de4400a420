import type { ReactNode } from 'react';
import { confirm } from './confirm.ts';

/** Effects of an irreversible action, shown before it runs. */
export interface IrreversibleEffects {
  /** What cannot be undone. */
  irreversible: ReactNode;
  /** What stops working. */
  breaks: ReactNode;
  /** Who is affected. */
  affects: ReactNode;
  /** Further details. */
  details?: ReactNode;
}

interface ConfirmIrreversibleOptions extends IrreversibleEffects {
  title: string;
  /** Label of the button. */
  action: string;
  cancel?: string;
  /** Text the user must type. */
  expectedText?: string;
  /** Action that runs while the dialog stays open; the dialog shows an error. */
  run: () => Promise<unknown>;
}

/** Asks for confirmation of an irreversible action and names its effects. True if it was done. */
export const confirmIrreversible = ({
  irreversible,
  breaks,
  affects,
  details,
  ...question
}: ConfirmIrreversibleOptions): Promise<boolean> =>
  confirm({
    ...question,
    danger: true,
    body: <IrreversibleEffectsList {...{ irreversible, breaks, affects, details }} />,
  });

/** List of the effects, for actions with a dialog of their own. */
export function IrreversibleEffectsList({ irreversible, breaks, affects, details }: IrreversibleEffects) {
  return (
    <div className="one-way">
      <dl>
        <dt>Cannot be undone</dt>
        <dd>{irreversible}</dd>
        <dt>What stops working</dt>
        <dd>{breaks}</dd>
        <dt>Who is affected</dt>
        <dd>{affects}</dd>
      </dl>
      {details}
    </div>
  );
}
