import { useId, useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { CardChip } from '../../../ui/table/CardChip.tsx';

interface AddressChipProps {
  address: string;
  /** What the service says of it. */
  error: string | undefined;
  onChange: (address: string) => void;
}

/** From which address, or from which network. */
export function AddressChip({ address, error, onChange }: AddressChipProps) {
  return (
    <CardChip
      label="IP address"
      value={address === '' ? undefined : address}
      error={error}
      onClear={() => onChange('')}
    >
      {(close) => (
        <AddressForm
          {...{ address, error }}
          onChange={(next) => {
            onChange(next);
            close();
          }}
        />
      )}
    </CardChip>
  );
}

function AddressForm({ address, error, onChange }: AddressChipProps) {
  const id = useId();
  const [typed, setTyped] = useState(address);
  return (
    <form
      className="act-between"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onChange(typed.trim());
      }}
    >
      <FieldFrame
        id={id}
        noteId={`${id}-note`}
        label="IP address or network"
        hint="203.0.113.7, 203.0.113.0/24 or 2001:db8::/32"
        // What was said of an address is no longer said of another one.
        error={typed === address ? error : undefined}
      >
        <input
          id={id}
          className="input mono"
          value={typed}
          maxLength={50}
          autoComplete="off"
          spellCheck={false}
          // The card was opened for this.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          aria-invalid={typed === address && error !== undefined}
          aria-describedby={`${id}-note`}
          onChange={({ target }) => setTyped(target.value)}
        />
      </FieldFrame>
      <Button type="submit" size="small" variant="primary">
        Show this address
      </Button>
    </form>
  );
}
