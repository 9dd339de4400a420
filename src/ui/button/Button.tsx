import type { LucideIcon } from 'lucide-react';
import { useId } from 'react';
import type { ComponentPropsWithRef, MouseEvent } from 'react';
import { Spinner } from '../feedback/Spinner.tsx';
import { Tooltip } from '../tooltip/Tooltip.tsx';
import { buttonClass } from './button-class.ts';
import type { ButtonLook } from './button-class.ts';

interface ButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'className' | 'disabled'>, ButtonLook {
  icon?: LucideIcon | undefined;
  /** The action runs: the button shows it and takes no second press. */
  pending?: boolean;
  /** Why the action is not possible now. The button stays in reach of the keyboard and says so. */
  disabledReason?: string | undefined;
}

/**
 * A native button; `disabledReason` takes the place of `disabled`, so that nothing is off without a reason. It is the
 * same element with and without one: who stands on it stays there.
 */
export function Button({
  variant,
  size,
  icon: Icon,
  pending = false,
  disabledReason,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const reasonId = useId();
  const off = pending || disabledReason !== undefined;
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (off) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <>
      <Tooltip text={disabledReason}>
        <button
          {...rest}
          type={type}
          className={buttonClass({ variant, size })}
          aria-disabled={off || undefined}
          aria-busy={pending || undefined}
          aria-describedby={disabledReason === undefined ? rest['aria-describedby'] : reasonId}
          onClick={press}
        >
          {pending ? <Spinner /> : Icon && <Icon />}
          {children}
        </button>
      </Tooltip>
      {disabledReason !== undefined && (
        <span id={reasonId} hidden>
          {disabledReason}
        </span>
      )}
    </>
  );
}
