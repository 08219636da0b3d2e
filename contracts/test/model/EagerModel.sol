// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../../src/TenantLots.sol";

/// The rules of TenantLots written the slow and obvious way: addresses instead of party numbers, and a loop over whatever is concerned
/// (contents, lots of a wallet) instead of a word that is read later. `may...` says whether a call must succeed; the others change state.
abstract contract EagerModel {
    uint256 internal constant ALL = type(uint256).max;
    uint256 internal constant ADMIN = 1;
    uint256 internal constant OPERATOR_ALL = 2;
    uint256 internal constant OPERATOR = 4;
    uint256 internal constant RECALLER = 8;
    uint256 internal constant RETURNS = 16;

    uint8 internal constant ACTIVE = 1;
    uint8 internal constant IN_TRANSIT = 2;
    uint8 internal constant AGGREGATED = 3;
    uint8 internal constant CONSUMED = 4;
    uint8 internal constant RETIRED = 6;
    uint8 internal constant VOIDED = 6;
    uint8 internal constant UNPACKED = 8;

    struct Thing {
        uint8 status;
        uint8 reason;
        uint8 depth;
        bool recalled;
        bool holdsRecalled;
        bool uncounted;
        bool moved;
        address holder;
        address pending;
        address approved;
        /// of ERC-721, followed by the logs
        address owner;
        uint256 offerNo;
        /// 0 = in none; stays when the container is retired with what is in it
        uint256 box;
        uint256 made;
        uint256 left;
        uint256 used;
        uint256 gone;
        /// what is a lot of its own now
        uint256 parted;
    }

    struct Recorded {
        TenantLots.Header header;
        uint256[] ids;
        uint256[] used;
        TenantLots.Output[] outputs;
        bytes32 commitment;
        bool voided;
    }

    struct Proposal {
        address to;
        uint256 readyAt;
    }

    TenantLots public immutable lots;
    uint256 public count;
    uint256 public offers;
    uint256 public pausedUntil;
    Recorded[] internal recorded;
    mapping(uint256 id => Thing) internal things;
    mapping(uint256 id => uint256[]) internal inside;
    mapping(bytes32 eventId => bool) internal known;
    mapping(address => uint256) public roles;
    mapping(address => mapping(bytes32 process => bool)) internal scope;
    mapping(address => mapping(address => bool)) internal actsForAll;
    mapping(address => bool) internal takesTransfers;
    mapping(address => bool) public isParty;
    mapping(address => bool) internal wasLeft;
    mapping(address from => Proposal) internal proposals;
    mapping(address to => address from) internal reservedFor;

    constructor(TenantLots lots_) {
        lots = lots_;
    }

    function thing(uint256 id) external view returns (Thing memory) {
        return things[id];
    }

    function recordedCount() external view returns (uint256) {
        return recorded.length;
    }

    function commitmentOf(uint256 i) external view returns (bytes32 eventId, bytes32 commitment) {
        Recorded storage r = recorded[i];
        return (r.header.eventId, r.voided ? bytes32(uint256(1)) : r.commitment);
    }

    // ------------------------------------------------------------------------------------------------------- rights

    function isOpen() internal view returns (bool) {
        return block.timestamp >= pausedUntil;
    }

    function has(address who, uint256 role) internal view returns (bool) {
        return roles[who] & role != 0;
    }

    function mayRecord(address who, bytes32 process) internal view returns (bool) {
        return has(who, OPERATOR_ALL) || (has(who, OPERATOR) && scope[who][process]);
    }

    function actsFor(address who, address holder) internal view returns (bool) {
        return who == holder || actsForAll[holder][who];
    }

    function mayBeParty(address who) internal view returns (bool) {
        return who != address(0) && who != address(lots) && reservedFor[who] == address(0);
    }

    function barred(Thing storage t) internal view returns (bool) {
        return t.recalled || t.holdsRecalled;
    }

    function mayUse(address who, uint256 id) internal view returns (bool) {
        Thing storage t = things[id];
        return t.status == ACTIVE && !barred(t) && actsFor(who, t.holder);
    }

    function mayReceive(address to, uint256 id) internal view returns (bool) {
        return things[id].status == ACTIVE && (!barred(things[id]) || has(to, RETURNS));
    }

    /// An event attached to another call, if there is one.
    function mayAttach(address who, TenantLots.EventRef memory e) internal view returns (bool) {
        return e.eventId == 0 || (mayRecord(who, e.processId) && !known[e.eventId]);
    }

    // ------------------------------------------------------------------------------------------------------- events

    function remember(TenantLots.Header memory header, uint256[] memory ids, uint256[] memory used, TenantLots.Output[] memory outputs)
        internal
    {
        Recorded storage r = recorded.push();
        r.header = header;
        r.ids = ids;
        r.used = used;
        for (uint256 i; i < outputs.length; ++i) {
            r.outputs.push(outputs[i]);
        }
        bytes32 ins = keccak256(abi.encode(ids, used));
        r.commitment = keccak256(abi.encode(block.chainid, address(lots), header, ins, keccak256(abi.encode(outputs))));
        known[header.eventId] = true;
    }

    function mayTake(address who, uint256 id, uint256 quantity) internal view returns (bool) {
        Thing storage t = things[id];
        if (quantity == 0) return id != 0 && id <= count;
        bool available = t.uncounted ? quantity == ALL : quantity == ALL || quantity <= t.left;
        return mayUse(who, id) && t.depth == 0 && available;
    }

    /// What the event says it took.
    function resolved(uint256 id, uint256 quantity) internal view returns (uint256) {
        Thing storage t = things[id];
        if (quantity != ALL || t.uncounted) return quantity;
        return t.left;
    }

    function take(uint256 id, uint256 n) internal {
        Thing storage t = things[id];
        if (n == 0) return;
        if (!t.uncounted) {
            t.left -= n;
            t.used += n;
        }
        if (t.left == 0) t.status = CONSUMED;
    }

    function giveBack(uint256 id, uint256 n) internal {
        Thing storage t = things[id];
        t.status = ACTIVE;
        if (!t.uncounted) {
            t.left += n;
            t.used -= n;
        }
    }

    function bear(TenantLots.Output[] memory outputs, uint8 depth) internal {
        for (uint256 i; i < outputs.length; ++i) {
            Thing storage t = things[++count];
            t.status = ACTIVE;
            t.depth = depth;
            t.holder = outputs[i].custodian;
            t.made = outputs[i].quantity;
            t.left = t.made;
            t.uncounted = t.made == 0;
            becomesParty(t.holder);
        }
    }

    function putInto(uint256[] memory ids, uint256 box) internal {
        inside[box] = ids;
        for (uint256 i; i < ids.length; ++i) {
            things[ids[i]].status = AGGREGATED;
            things[ids[i]].box = box;
            things[ids[i]].approved = address(0);
        }
    }

    function breakUp(uint256 box) internal {
        things[box].status = RETIRED;
        things[box].reason = UNPACKED;
        for (uint256 i; i < inside[box].length; ++i) {
            Thing storage t = things[inside[box][i]];
            t.status = ACTIVE;
            t.box = 0;
        }
        delete inside[box];
    }

    function mayUndo(address who, uint256 i) internal view returns (bool) {
        Recorded storage r = recorded[i];
        bool admin = has(who, ADMIN);
        if (!isOpen() || r.voided || r.header.mode != 0) return false;
        if (!admin && !mayRecord(who, r.header.processId)) return false;
        bool effects = r.outputs.length != 0;
        for (uint256 k; k < r.outputs.length; ++k) {
            Thing storage t = things[r.header.firstOutputId + k];
            if (t.status != ACTIVE || barred(t) || !(admin || actsFor(who, t.holder))) return false;
            if (t.left != t.made || t.offerNo != 0 || t.moved) return false;
        }
        for (uint256 k; k < r.used.length; ++k) {
            if (r.used[k] == 0) continue;
            effects = true;
            Thing storage t = things[r.ids[k]];
            if ((t.status != ACTIVE && t.status != CONSUMED) || !(admin || actsFor(who, t.holder))) return false;
        }
        return effects || admin || actsFor(who, r.header.actor);
    }

    function undo(uint256 i) internal {
        Recorded storage r = recorded[i];
        r.voided = true;
        for (uint256 k; k < r.outputs.length; ++k) {
            Thing storage t = things[r.header.firstOutputId + k];
            t.status = RETIRED;
            t.reason = VOIDED;
        }
        for (uint256 k; k < r.used.length; ++k) {
            if (r.used[k] != 0) giveBack(r.ids[k], r.used[k]);
        }
    }

    // ------------------------------------------------------------------------------------------- custody and the end

    function setHolder(uint256 id, address to) internal {
        things[id].holder = to;
        things[id].moved = true;
        for (uint256 i; i < inside[id].length; ++i) {
            setHolder(inside[id][i], to);
        }
    }

    function moveTo(uint256 id, address to) internal {
        Thing storage t = things[id];
        t.status = ACTIVE;
        t.pending = address(0);
        t.approved = address(0);
        setHolder(id, to);
    }

    function isPart(uint256 id, uint256 quantity) internal view returns (bool) {
        return quantity != ALL && quantity != things[id].left;
    }

    /// All of a lot, or a part of one that has parts.
    function mayPart(uint256 id, uint256 quantity) internal view returns (bool) {
        Thing storage t = things[id];
        if (quantity == ALL) return true;
        if (t.uncounted || t.depth != 0 || quantity == 0 || quantity > t.left) return false;
        return quantity == t.left || !barred(t);
    }

    /// A further lot that is what the lot is; its owner came with the log.
    function split(uint256 id, uint256 n) internal returns (uint256 partId) {
        Thing storage t = things[id];
        partId = ++count;
        Thing storage part = things[partId];
        part.status = t.status;
        part.moved = t.moved;
        part.holder = t.holder;
        part.pending = t.pending;
        part.offerNo = t.offerNo;
        part.made = n;
        part.left = n;
        t.left -= n;
        t.parted += n;
    }

    function retireAll(uint256 id, uint8 reason) internal {
        things[id].status = RETIRED;
        things[id].reason = reason;
        for (uint256 i; i < inside[id].length; ++i) {
            retireAll(inside[id][i], reason);
        }
    }

    function setRecalled(uint256 id) internal {
        things[id].recalled = true;
        for (uint256 box = things[id].box; box != 0; box = things[box].box) {
            things[box].holdsRecalled = true;
        }
    }

    // ------------------------------------------------------------------------------------------------------ wallets

    function becomesParty(address who) internal {
        isParty[who] = true;
        wasLeft[who] = false;
    }

    function mayPropose(address by, address from, address to) internal view returns (bool) {
        if (by != from && !has(by, ADMIN)) return false;
        bool free = reservedFor[to] == address(0) || reservedFor[to] == from;
        return isParty[from] && to != address(0) && to != address(lots) && !isParty[to] && !wasLeft[to] && free;
    }

    function propose(address by, address from, address to) internal {
        withdraw(from);
        if (by != from) reservedFor[to] = from;
        proposals[from] = Proposal(to, by == from ? block.timestamp : block.timestamp + 7 days);
    }

    function withdraw(address from) internal {
        address to = proposals[from].to;
        if (reservedFor[to] == from) delete reservedFor[to];
        delete proposals[from];
    }

    function mayTakeOver(address by, address from) internal view returns (bool) {
        Proposal storage p = proposals[from];
        if (!isOpen() || p.to != by || block.timestamp < p.readyAt) return false;
        if (barredHeldBy(from) != 0 && !consented(by, from)) return false;
        return !isParty[by] && !wasLeft[by] && (reservedFor[by] == address(0) || reservedFor[by] == from);
    }

    /// Lots in somebody's hands that are recalled, or containers of one.
    function barredHeldBy(address who) public view returns (uint256 n) {
        for (uint256 id = 1; id <= count; ++id) {
            Thing storage t = things[id];
            if (t.holder == who && (t.status == ACTIVE || t.status == IN_TRANSIT) && barred(t)) ++n;
        }
    }

    /// An admin proposed the new wallet itself, or lets it receive recalled lots.
    function consented(address by, address from) internal view returns (bool) {
        return reservedFor[by] == from || has(by, RETURNS);
    }

    function takeOver(address by, address from) internal {
        withdraw(from);
        for (uint256 id = 1; id <= count; ++id) {
            Thing storage t = things[id];
            if (t.holder == from) t.holder = by;
            if (t.pending == from) t.pending = by;
            if (t.owner == from) {
                t.owner = by;
                t.approved = address(0);
            }
        }
        isParty[from] = false;
        wasLeft[from] = true;
        isParty[by] = true;
        roles[from] &= ADMIN;
    }
}
