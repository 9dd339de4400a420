/** Services of one Playwright worker: every test file has one of its own, which is removed automatically. */
import { type Installation, startService, type Service } from './service.ts';

/** Whether an installation can be created once and copied: it prints no link and has no further settings. */
const canCopy = ({ administrator, env }: Installation): boolean =>
  administrator !== undefined && env === undefined;

export class Installations {
  /** Installations stopped right after their first start, by their options. */
  readonly #originals = new Map<string, Service>();
  #current: { key: string; service: Service } | undefined;

  /** Returns the service of a test file; the one of the previous file is removed with its data. */
  async getService(file: string, installation: Installation): Promise<Service> {
    const key = JSON.stringify([file, installation]);
    if (this.#current?.key === key) return this.#current.service;
    await this.#removeCurrent();
    const original = canCopy(installation) ? await this.#original(installation) : undefined;
    const service = await startService(installation, original);
    this.#current = { key, service };
    return service;
  }

  async remove(): Promise<void> {
    await this.#removeCurrent();
    await Promise.all([...this.#originals.values()].map((service) => service.remove()));
  }

  async #original(installation: Installation): Promise<Service> {
    const key = JSON.stringify(installation);
    const existing = this.#originals.get(key);
    if (existing) return existing;
    const original = await startService(installation);
    await original.stop();
    this.#originals.set(key, original);
    return original;
  }

  async #removeCurrent(): Promise<void> {
    const last = this.#current?.service;
    this.#current = undefined;
    await last?.remove();
  }
}
