import type { LucideIcon } from 'lucide-react';
import { useId } from 'react';
import type { ComponentPropsWithRef, MouseEvent } from 'react';
import { Spinner } from '../Spinner.tsx';
import { Tooltip } from '../tooltip/Tooltip.tsx';
import { buttonClass } from './button-class.ts';
import type { ButtonLook } from './button-class.ts';

interface IconButtonProps
  extends
    Omit<ComponentPropsWithRef<'button'>, 'className' | 'disabled' | 'children' | 'aria-label'>,
    ButtonLook {
  /** Action of the button: accessible name and tooltip. */
  label: string;
  icon: LucideIcon;
  pending?: boolean;
  disabledReason?: string | undefined;
  /** The action removes the row of the button, so that the second click of a double click would hit the next row. */
  removesRow?: boolean;
}

/** Square button with an icon and its label as tooltip. */
export function IconButton({
  label,
  icon: Icon,
  variant = 'quiet',
  size,
  pending = false,
  disabledReason,
  removesRow = false,
  onClick,
  ...rest
}: IconButtonProps) {
  const reasonId = useId();
  const isDisabled = pending || disabledReason !== undefined;
  const handleClick = (event: MouseEvent<HTMLButtonElement>) => {
    if (!isDisabled && !(removesRow && event.detail > 1)) onClick?.(event);
  };
  return (
    <>
      <Tooltip text={disabledReason ?? label}>
        <button
          type="button"
          {...rest}
          className={buttonClass({ variant, size }, 'btn-icon')}
          aria-label={label}
          aria-disabled={isDisabled || undefined}
          aria-busy={pending || undefined}
          aria-describedby={disabledReason === undefined ? undefined : reasonId}
          onClick={handleClick}
        >
          {pending ? <Spinner /> : <Icon />}
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
