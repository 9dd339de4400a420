import type { LucideIcon } from 'lucide-react';
import { useId } from 'react';
import type { ComponentPropsWithRef, MouseEvent } from 'react';
import { Spinner } from '../Spinner.tsx';
import { Tooltip } from '../tooltip/Tooltip.tsx';
import { buttonClass } from './button-class.ts';
import type { ButtonLook } from './button-class.ts';

interface ButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'className' | 'disabled'>, ButtonLook {
  icon?: LucideIcon | undefined;
  /** The action is running: the button shows a spinner and ignores clicks. */
  pending?: boolean;
  /** Why the action is not possible. The button stays focusable and shows the reason. */
  disabledReason?: string | undefined;
  /** The action removes the row of the button, so that the second click of a double click would hit the next row. */
  removesRow?: boolean;
}

/**
 * A native button with `disabledReason` instead of `disabled`, so that every disabled button has a reason. The element
 * stays the same when the reason changes, which keeps the focus.
 */
export function Button({
  variant,
  size,
  icon: Icon,
  pending = false,
  disabledReason,
  removesRow = false,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const reasonId = useId();
  const isDisabled = pending || disabledReason !== undefined;
  const handleClick = (event: MouseEvent<HTMLButtonElement>) => {
    // The second click of a double click can come before `pending` is rendered, and would send a write twice.
    const isRepeated = event.detail > 1 && (removesRow || variant === 'primary' || variant === 'danger');
    if (isDisabled || isRepeated) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <>
      <Tooltip text={disabledReason}>
        <button
          {...rest}
          type={type}
          className={buttonClass({ variant, size })}
          aria-disabled={isDisabled || undefined}
          aria-busy={pending || undefined}
          aria-describedby={disabledReason === undefined ? rest['aria-describedby'] : reasonId}
          onClick={handleClick}
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
