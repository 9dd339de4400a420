import { useRouter } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
  Text,
} from 'react-aria-components';
import { usePaletteSections } from './sections.ts';
import type { PaletteItem } from './registry.ts';
import '../../ui/dialog/dialog.css';
import './palette.css';

/** One field for everything: pages, actions, people (look, "one search that is also the palette"). */
export default function Palette({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const [typed, setTyped] = useState('');
  const { sections, searching } = usePaletteSections(typed, (to) => void router.navigate({ to }));
  const choose = (item: PaletteItem) => {
    onClose();
    item.run();
  };

  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="palette">
        <Dialog aria-label="Search and commands" className="palette-inner">
          <Autocomplete inputValue={typed} onInputChange={setTyped}>
            <SearchField
              aria-label="Search people, pages, actions"
              className="palette-field"
              // Typing is what the palette was opened for.
              // oxlint-disable-next-line jsx-a11y/no-autofocus
              autoFocus
            >
              <Search />
              <Input placeholder="Search people, pages, actions" />
            </SearchField>
            {/* The focus stays in the field; a stop of its own lets the keyboard scroll the list. */}
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <section className="palette-list" aria-label="Results" tabIndex={0}>
              <Menu
                aria-label="Results"
                renderEmptyState={() => (
                  <p className="palette-empty">{searching ? 'Searching' : `Nothing found for “${typed}”`}</p>
                )}
              >
                {sections.map(({ name, items }) => (
                  <MenuSection key={name} aria-label={name}>
                    <Header className="palette-heading">{name}</Header>
                    {items.map((item) => (
                      <Line
                        key={item.label + (item.hint ?? '')}
                        item={item}
                        section={name}
                        onChoose={choose}
                      />
                    ))}
                  </MenuSection>
                ))}
              </Menu>
            </section>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface LineProps {
  item: PaletteItem;
  section: string;
  onChoose: (item: PaletteItem) => void;
}

function Line({ item, section, onChoose }: LineProps) {
  const { label, hint, icon: Icon } = item;
  return (
    <MenuItem
      id={`${section} ${label} ${hint ?? ''}`}
      className="palette-item"
      textValue={label}
      onAction={() => onChoose(item)}
    >
      {Icon && <Icon />}
      <Text slot="label" className="palette-label">
        {label} {hint !== undefined && <span className="palette-hint">{hint}</span>}
      </Text>
    </MenuItem>
  );
}
