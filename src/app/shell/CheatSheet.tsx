import { Button } from '../../ui/button/Button.tsx';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { SwitchRow } from '../../ui/form/Toggle.tsx';
import { ShortcutList } from '../../ui/shortcuts/ShortcutList.tsx';
import { setSingleKeysEnabled, useShortcuts, useSingleKeysEnabled } from '../../ui/shortcuts/shortcuts.ts';
import type { Shortcut } from '../../ui/shortcuts/shortcuts.ts';
import { ROW_KEYS } from '../../ui/table/row-keys.ts';

const TABLE_SHORTCUTS: readonly Shortcut[] = ROW_KEYS.map((row) => ({ ...row, group: 'In a table' }));

/** Dialog with all shortcuts available on the current page and the keys of tables. */
export default function CheatSheet({ onClose }: { onClose: () => void }) {
  const shortcuts = [...useShortcuts(), ...TABLE_SHORTCUTS];
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <SwitchRow
        label="Single-key shortcuts"
        hint="Shortcuts without Ctrl or Cmd. The palette also opens this dialog."
        checked={useSingleKeysEnabled()}
        onChange={setSingleKeysEnabled}
      />
      <ShortcutList shortcuts={shortcuts} />
    </Dialog>
  );
}
