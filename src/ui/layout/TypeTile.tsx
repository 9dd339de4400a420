import {
  Archive,
  Banknote,
  Briefcase,
  Building2,
  CalendarDays,
  ChartColumnStacked,
  Contact,
  File,
  Folder,
  Globe,
  HeartHandshake,
  Landmark,
  Mail,
  Table2,
  Target,
  Warehouse,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { EntryTypeIcon, EntryTypeVm } from '../../../contract/generated/types.gen.ts';
import { DEFAULT_TYPE_ICON } from '../../../contract/rules/schema/type-icons.ts';
import { HUE_COUNT, Tile } from './Tile.tsx';
import type { TileProps } from './Tile.tsx';

/** Icons that an entry type can have, with their names in the panel of the type; most are used elsewhere too. */
export const TYPE_ICONS: Readonly<Record<EntryTypeIcon, { icon: LucideIcon; label: string }>> = {
  table: { icon: Table2, label: 'Table' },
  building: { icon: Building2, label: 'Building' },
  contact: { icon: Contact, label: 'Contact' },
  handshake: { icon: HeartHandshake, label: 'Handshake' },
  messages: { icon: Mail, label: 'Messages' },
  wallet: { icon: Banknote, label: 'Money' },
  landmark: { icon: Landmark, label: 'Bank' },
  warehouse: { icon: Warehouse, label: 'Warehouse' },
  target: { icon: Target, label: 'Target' },
  briefcase: { icon: Briefcase, label: 'Briefcase' },
  calendar: { icon: CalendarDays, label: 'Calendar' },
  file: { icon: File, label: 'File' },
  folder: { icon: Folder, label: 'Folder' },
  package: { icon: Archive, label: 'Box' },
  globe: { icon: Globe, label: 'Globe' },
  chart: { icon: ChartColumnStacked, label: 'Chart' },
};

interface TypeTileProps {
  type: Pick<EntryTypeVm, 'id' | 'icon'>;
  size?: TileProps['size'];
}

/** Icon of an entry type. Types take the colors of categories in turn, so that a type keeps its color. */
export const TypeTile = ({ type: { id, icon = DEFAULT_TYPE_ICON }, size = 'medium' }: TypeTileProps) => (
  <Tile icon={TYPE_ICONS[icon].icon} hue={(id % HUE_COUNT) + 1} size={size} />
);

/** Option of a select or filter for an entry type, with the type's icon beside its plural name. */
export const toTypeOption = (type: Pick<EntryTypeVm, 'id' | 'icon' | 'pluralName'>) => ({
  value: type.id,
  label: type.pluralName,
  icon: <TypeTile type={type} size="mini" />,
});

/** Name of an entry type or of something of it, after the icon of the type. */
export const TypeLabel = ({ type, size = 'small', children }: TypeTileProps & { children: ReactNode }) => (
  <span className="type-label">
    <TypeTile type={type} size={size} />
    <span>{children}</span>
  </span>
);
