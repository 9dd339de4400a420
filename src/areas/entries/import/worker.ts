import { serveDesk } from '../../import/serve-desk.ts';
import { createDesk } from './desk.ts';

serveDesk(createDesk());
