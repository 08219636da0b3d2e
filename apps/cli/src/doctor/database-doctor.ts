import type { Config } from '#config';
import {
  type DatabaseState,
  endpointFromUrl,
  MigrationRefused,
  migrationState,
  requireReadWrite,
  tryWrite,
  withClient,
} from '#persistence';
import { ConfiguredKeys, KEYS_REMEDY, lostKeys, TENANT_KEYS } from '#sealed-contents';
import { contexts, settingOf } from '../../../runtime/src/index.js';
import { failing, fine, type Finding, reasonOf } from './finding.js';

const LEAST_POSTGRES = 150_000;
/** More than two machines that are synchronised ever differ by. */
const MAX_CLOCK_MS = 2_000;

type Login = 'both' | 'serving' | 'migrating';

/** With two logins both are tried: the login for migrations may work while the other one is refused. */
export async function databases(at: Config['database'] & { readonly kind: 'url' }): Promise<readonly Finding[]> {
  const { url, migrationUrl } = at;
  if (migrationUrl === url) return database('database', url, 'DATABASE_URL', 'both');
  const [serving, migrating] = await Promise.all([
    database('database', url, 'DATABASE_URL', 'serving'),
    database('database, migrating', migrationUrl, settingOf(at, migrationUrl), 'migrating'),
  ]);
  // The clock once, after the logins.
  return [...serving.slice(0, 1), ...migrating.slice(0, 1), ...serving.slice(1)];
}

async function database(engine: string, url: string, setting: string, login: Login): Promise<readonly Finding[]> {
  try {
    const sent = Date.now();
    const state = await migrationState(endpointFromUrl(url), contexts);
    const finding = found(engine, state, login);
    const at = clock(state.time - (sent + Date.now()) / 2);
    return [finding.well && login !== 'migrating' ? await writable(finding, url) : finding, at];
  } catch (error) {
    if (error instanceof MigrationRefused) return [failing(engine, error.message, 'The message says what to do.')];
    return [
      failing(engine, reasonOf(error), `Check that the server runs, and that ${setting} has its address, login, password and database.`),
    ];
  }
}

function found(engine: string, { serverVersion, pending, owning, roles }: DatabaseState, login: Login): Finding {
  const version = `PostgreSQL ${Math.floor(serverVersion / 10_000)}`;
  const text = pending === null ? version : `${version}, ${pending.length} migrations to apply`;
  if (serverVersion < LEAST_POSTGRES) return failing(engine, text, 'Use PostgreSQL 15 or newer.');
  const lacks = roles.statements.length > 0;
  if (lacks && (login === 'serving' || !roles.creates)) {
    const remedy = `An administrator must run once: ${roles.statements.join(' ')}`;
    return failing(engine, `${text}; the login lacks roles of row-level security`, remedy);
  }
  if (owning !== null && login !== 'serving')
    return failing(
      engine,
      `${text}; its tables belong to another login`,
      `Use the login that owns them. After a restore with --no-owner, an administrator must run once in this database: ${owning}`,
    );
  return fine(engine, lacks ? `${text}; the start creates the roles of row-level security` : text);
}

/** A server that is a standby, or whose disk is full, answers all the same. */
async function writable(finding: Finding, url: string): Promise<Finding> {
  try {
    await withClient(endpointFromUrl(url), async (client) => {
      const query = async <Row>(text: string): Promise<Row[]> => (await client.query(text)).rows as Row[];
      await requireReadWrite(query);
      await tryWrite(query);
    });
    return finding;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === '25006')
      return failing(finding.engine, `${finding.found}; it is read-only`, 'Use the primary server, or end the read-only mode of this one.');
    if (code === '53100')
      return failing(finding.engine, `${finding.found}; its disk is full`, 'Free some space on the disk of the database.');
    // The login may not create temporary tables: whether there is room is not known.
    return code === '42501' ? finding : failing(finding.engine, message, 'See the log of the database server.');
  }
}

/** A difference does no harm to rows, which have the database's time; the log lines and the chain's times are the machine's. */
function clock(databaseAheadMs: number): Finding {
  const seconds = Math.round(Math.abs(databaseAheadMs) / 100) / 10;
  if (Math.abs(databaseAheadMs) <= MAX_CLOCK_MS) return fine('clock', 'as the clock of the database');
  const direction = databaseAheadMs > 0 ? 'behind' : 'ahead of';
  return failing(
    'clock',
    `this machine is ${seconds} s ${direction} the database`,
    'Synchronise the clocks of both machines (NTP): rows have the time of the database, log lines that of the machine.',
  );
}

/** Only what is wrong: a database that nobody has used yet has no keys. */
export async function contentKeys(url: string, secrets: readonly Buffer[]): Promise<readonly Finding[]> {
  try {
    const lost = await withClient(endpointFromUrl(url), async (client) => {
      await client.query('begin read only; set local role trace_system');
      return lostKeys((await client.query<{ wrapped: string }>(TENANT_KEYS)).rows, new ConfiguredKeys(secrets));
    });
    return lost === null ? [] : [failing('keys', lost, KEYS_REMEDY)];
  } catch {
    // The line of the database says why it cannot be read.
    return [];
  }
}

/** CIDs of a few recorded events; none where the database does not answer, whose own line says why. */
export async function recordedContents(url: string): Promise<readonly string[]> {
  try {
    return await withClient(endpointFromUrl(url), async (client) => {
      await client.query('begin read only; set local role trace_system');
      const { rows } = await client.query<{ cid: string }>(
        `select ipfs_cid as cid from traceability.event where resolved and block_number is not null and ipfs_cid is not null limit 20`,
      );
      return rows.map(({ cid }) => cid);
    });
  } catch {
    return [];
  }
}

/** The registry that `cli contracts` recorded; null when there is none, undefined when the database does not answer. */
export async function recordedRegistry(url: string, chainId: number): Promise<string | null | undefined> {
  try {
    return await withClient(endpointFromUrl(url), async (client) => {
      await client.query('begin; set local role trace_system');
      const { rows } = await client.query<{ registry: string }>('select registry from chain.deployment where chain_id = $1', [chainId]);
      return rows[0]?.registry ?? null;
    });
  } catch (error) {
    // No such table or role yet: nothing was recorded in it.
    return ['42P01', '3F000', '22023', '42704'].includes((error as { code?: string }).code ?? '') ? null : undefined;
  }
}
