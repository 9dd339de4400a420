import type { LucideIcon } from 'lucide-react';
import { useId } from 'react';
import type { ComponentPropsWithRef } from 'react';
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
}

/** Square button with an icon and its label as tooltip. */
export function IconButton({
  label,
  icon: Icon,
  variant = 'quiet',
  size,
  pending = false,
  disabledReason,
  onClick,
  ...rest
}: IconButtonProps) {
  const reasonId = useId();
  const isDisabled = pending || disabledReason !== undefined;
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
          onClick={isDisabled ? undefined : onClick}
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
