-- Times are milliseconds since 1970-01-01 UTC. Accounts are text such as qq:user:10001, '' is nobody in particular.
-- Every table leads to a domain and to a scope or session through NOT NULL keys; the few that do not are listed, with
-- the reason, in tests/store/test_schema.py.

CREATE TABLE domains (
    id TEXT NOT NULL PRIMARY KEY,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Who shares an item. item_count and term_count describe its active items in item_index, for BM25.
-- next_vector is never reused, so a vector's place never belongs to two items in turn. vector_version goes up whenever
-- the scope's vectors change: a copy of them in memory is good while it has the same number (AUTOINCREMENT, so that a
-- scope that is erased and made again is another one).
CREATE TABLE scopes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    domain_id TEXT NOT NULL REFERENCES domains (id),
    scope_type TEXT NOT NULL,
    external_id TEXT NOT NULL,
    item_count INTEGER NOT NULL DEFAULT 0,
    term_count INTEGER NOT NULL DEFAULT 0,
    next_vector INTEGER NOT NULL DEFAULT 1,
    vector_version INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    UNIQUE (domain_id, scope_type, external_id)
);

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    domain_id TEXT NOT NULL REFERENCES domains (id),
    session_key TEXT NOT NULL,
    last_turn INTEGER NOT NULL DEFAULT 0,
    watermark INTEGER NOT NULL DEFAULT 0,
    history_start INTEGER NOT NULL DEFAULT 0,
    summary TEXT NOT NULL DEFAULT '',
    turn_count INTEGER NOT NULL DEFAULT 0,
    term_count INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    retry_at INTEGER NOT NULL DEFAULT 0,
    dreamed INTEGER NOT NULL DEFAULT 0,
    dream_failures INTEGER NOT NULL DEFAULT 0,
    dream_retry_at INTEGER NOT NULL DEFAULT 0,
    summarised INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (domain_id, session_key)
);

-- n counts arrivals; the order of reading is (said_at, seq, n).
CREATE TABLE turns (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES sessions (id),
    n INTEGER NOT NULL,
    role TEXT NOT NULL,
    account TEXT NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    quotes TEXT NOT NULL DEFAULT '[]',
    mentions TEXT NOT NULL DEFAULT '[]',
    state TEXT NOT NULL,
    by_operator INTEGER NOT NULL DEFAULT 0,
    said_at INTEGER NOT NULL,
    seq INTEGER NOT NULL DEFAULT 0,
    recorded_at INTEGER NOT NULL,
    recalled_at INTEGER,
    suppressed_at INTEGER,
    erased_at INTEGER,
    UNIQUE (session_id, n)
);
CREATE INDEX turns_order ON turns (session_id, said_at, seq, n);
CREATE INDEX turns_account ON turns (account, session_id);
CREATE INDEX turns_open ON turns (recorded_at) WHERE state = 'open';

-- The platform's names for a turn, one for each bot connection that saw it.
CREATE TABLE turn_messages (
    session_id INTEGER NOT NULL REFERENCES sessions (id),
    self_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (session_id, self_id, message_id),
    FOREIGN KEY (session_id, n) REFERENCES turns (session_id, n)
) WITHOUT ROWID;
CREATE INDEX turn_messages_turn ON turn_messages (session_id, n);

-- Which message a turn quotes, by its names on each connection, and the turn it is, where it is one: quoted words go
-- when that message is taken back. A name alone is not enough: platforms give it again.
CREATE TABLE turn_quotes (
    session_id INTEGER NOT NULL REFERENCES sessions (id),
    n INTEGER NOT NULL,
    place INTEGER NOT NULL,
    self_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    quoted_n INTEGER,
    recalled_at INTEGER,
    PRIMARY KEY (session_id, n, place, self_id),
    FOREIGN KEY (session_id, n) REFERENCES turns (session_id, n)
) WITHOUT ROWID;
CREATE INDEX turn_quotes_message ON turn_quotes (session_id, self_id, message_id);
CREATE INDEX turn_quotes_turn ON turn_quotes (session_id, quoted_n);

-- Which items an answer was made with, best first: for who asks why, and for who objects to it.
CREATE TABLE turn_recalls (
    session_id INTEGER NOT NULL REFERENCES sessions (id),
    n INTEGER NOT NULL,
    place INTEGER NOT NULL,
    item_id TEXT NOT NULL,
    score REAL NOT NULL,
    PRIMARY KEY (session_id, n, place),
    FOREIGN KEY (session_id, n) REFERENCES turns (session_id, n)
) WITHOUT ROWID;

CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    kind TEXT NOT NULL,
    tier TEXT NOT NULL,
    slot_key TEXT,
    subject TEXT NOT NULL,
    owner TEXT NOT NULL,
    content TEXT NOT NULL,
    identity TEXT NOT NULL,
    status TEXT NOT NULL,
    confidence REAL NOT NULL,
    importance REAL NOT NULL,
    origin TEXT NOT NULL,
    prompt_version TEXT NOT NULL DEFAULT '',
    source_session TEXT NOT NULL DEFAULT '',
    successor TEXT NOT NULL DEFAULT '',
    valid_from INTEGER NOT NULL,
    valid_to INTEGER,
    valid_until INTEGER,
    version INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX items_twin ON items (scope_id, kind, subject, identity) WHERE status = 'active';
CREATE UNIQUE INDEX items_slot ON items (scope_id, kind, slot_key, subject) WHERE status = 'active' AND slot_key IS NOT NULL;
CREATE INDEX items_scope ON items (scope_id, status, created_at);
CREATE INDEX items_pinned ON items (scope_id, tier) WHERE status = 'active' AND tier = 'dao_tian';
CREATE INDEX items_ending ON items (valid_until) WHERE status = 'active' AND valid_until IS NOT NULL;

CREATE TABLE evidence (
    item_id INTEGER NOT NULL REFERENCES items (id),
    session_id INTEGER NOT NULL REFERENCES sessions (id),
    n INTEGER NOT NULL,
    account TEXT NOT NULL,
    quote TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (item_id, session_id, n),
    FOREIGN KEY (session_id, n) REFERENCES turns (session_id, n)
) WITHOUT ROWID;
CREATE INDEX evidence_turn ON evidence (session_id, n);

CREATE TABLE candidates (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    source_session TEXT NOT NULL DEFAULT '',
    kind TEXT NOT NULL,
    slot_key TEXT,
    subject TEXT NOT NULL,
    content TEXT NOT NULL,
    identity TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    origin TEXT NOT NULL,
    prompt_version TEXT NOT NULL DEFAULT '',
    confidence REAL NOT NULL,
    importance REAL NOT NULL,
    valid_until INTEGER,
    item_id TEXT NOT NULL DEFAULT '',
    evidence TEXT NOT NULL DEFAULT '[]',
    created_at INTEGER NOT NULL,
    decided_at INTEGER,
    decided_by TEXT NOT NULL DEFAULT ''
);
CREATE INDEX candidates_scope ON candidates (scope_id, status, created_at);
CREATE INDEX candidates_same ON candidates (scope_id, kind, subject, identity);
CREATE INDEX candidates_item ON candidates (item_id) WHERE item_id <> '';

CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    item_id TEXT NOT NULL DEFAULT '',
    candidate_id TEXT NOT NULL DEFAULT '',
    action TEXT NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    before TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL
);
CREATE INDEX events_item ON events (item_id, id) WHERE item_id <> '';
CREATE INDEX events_scope ON events (scope_id, at);

-- The text index. terms holds the row's terms, each hashed with its owner, repetitions included: an entry of a
-- contentless FTS5 table can only be deleted by naming them again. An active item has a row; a standing turn has one,
-- and its entry in turn_index while its state is open or ordinary.
CREATE TABLE item_terms (
    item_id INTEGER PRIMARY KEY REFERENCES items (id),
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    length INTEGER NOT NULL,
    analyser INTEGER NOT NULL,
    terms TEXT NOT NULL
);
CREATE INDEX item_terms_analyser ON item_terms (analyser);
CREATE VIRTUAL TABLE item_index USING fts5 (terms, content = '', detail = none, columnsize = 0, tokenize = 'ascii');
CREATE TABLE turn_terms (
    turn_id INTEGER PRIMARY KEY REFERENCES turns (id),
    session_id INTEGER NOT NULL REFERENCES sessions (id),
    length INTEGER NOT NULL,
    analyser INTEGER NOT NULL,
    terms TEXT NOT NULL
);
CREATE INDEX turn_terms_analyser ON turn_terms (analyser);
CREATE VIRTUAL TABLE turn_index USING fts5 (terms, content = '', detail = none, columnsize = 0, tokenize = 'ascii');

-- int8 vectors, one row an item and model; value = scale * byte. A scope's vectors of one model lie side by side.
CREATE TABLE vectors (
    model TEXT NOT NULL,
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    n INTEGER NOT NULL,
    item_id INTEGER NOT NULL REFERENCES items (id),
    identity TEXT NOT NULL,
    scale REAL NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (model, scope_id, n)
) WITHOUT ROWID;
CREATE UNIQUE INDEX vectors_item ON vectors (item_id, model);

-- What is known of an embedding model: its size and the cosine that unrelated texts stay under.
CREATE TABLE embedding_models (
    model TEXT NOT NULL PRIMARY KEY,
    dimensions INTEGER NOT NULL,
    floor REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE commits (
    session_id INTEGER NOT NULL REFERENCES sessions (id),
    commit_id TEXT NOT NULL,
    result TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, commit_id)
) WITHOUT ROWID;

-- What a dream did, step by step, with each item as it was before: enough to show it and to take it back.
-- One runs at a time for a session; active_at is when it last did something.
CREATE TABLE dream_runs (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    session_id INTEGER NOT NULL REFERENCES sessions (id),
    status TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    turns INTEGER NOT NULL DEFAULT 0,
    started_at INTEGER NOT NULL,
    active_at INTEGER NOT NULL,
    ended_at INTEGER
);
CREATE UNIQUE INDEX dream_runs_running ON dream_runs (session_id) WHERE status = 'running';
CREATE INDEX dream_runs_session ON dream_runs (session_id, id);
CREATE TABLE dream_operations (
    run_id INTEGER NOT NULL REFERENCES dream_runs (id),
    place INTEGER NOT NULL,
    action TEXT NOT NULL,
    state TEXT NOT NULL,
    item_id TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    turns TEXT NOT NULL DEFAULT '[]',
    before TEXT NOT NULL DEFAULT '',
    after TEXT NOT NULL DEFAULT '',
    evidence TEXT NOT NULL DEFAULT '[]',
    before_text TEXT NOT NULL DEFAULT '',
    after_text TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (run_id, place)
) WITHOUT ROWID;
CREATE INDEX dream_operations_item ON dream_operations (item_id) WHERE item_id <> '';

CREATE TABLE usage (
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    day TEXT NOT NULL,
    purpose TEXT NOT NULL,
    calls INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    PRIMARY KEY (scope_id, day, purpose)
) WITHOUT ROWID;
CREATE INDEX usage_day ON usage (day);

CREATE TABLE chat_settings (
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    changed_by TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (scope_id, name)
) WITHOUT ROWID;

-- scope_id says where an account's setting holds: in one chat, or everywhere (the domain's shared scope).
CREATE TABLE account_settings (
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    account TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (account, name, scope_id)
) WITHOUT ROWID;

-- Who asked to be erased, as a keyed hash: replayed after a restore, asked before an import.
CREATE TABLE erasures (
    domain_id TEXT NOT NULL REFERENCES domains (id),
    digest TEXT NOT NULL,
    erased_at INTEGER NOT NULL,
    PRIMARY KEY (domain_id, digest)
) WITHOUT ROWID;
