// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {TenantLots} from "../../src/TenantLots.sol";
import {Vm, vm} from "../support/Vm.sol";
import {EagerModel} from "./EagerModel.sol";

/// Makes random calls. The contract must accept exactly those that the model accepts, emit the logs of the model, and have the state of
/// the model after each (Model.t.sol). Calls that can succeed are chosen more often; otherwise almost all would be refused.
contract Handler is EagerModel {
    uint256 private constant MAX_LOTS = 80;
    uint256 private constant MAX_PEOPLE = 14;
    uint256 private constant AVERAGE_INTERVAL = 10 minutes;

    /// How often each action is tried, in shares of their sum.
    uint8[26] private weights = [8, 10, 7, 6, 12, 10, 4, 2, 1, 2, 3, 4, 6, 6, 2, 3, 3, 3, 4, 1, 5, 1, 2, 2, 5, 4];
    string[26] public names = [
        "mint",
        "use",
        "pack",
        "unpack",
        "offer",
        "accept",
        "close",
        "recall",
        "recallMany",
        "lift",
        "retire",
        "settle",
        "transfer",
        "void",
        "amend",
        "approveAll",
        "approveOne",
        "grant",
        "proposeWallet",
        "vetoWallet",
        "acceptWallet",
        "pause",
        "wait",
        "directReceipt",
        "offerParts",
        "acceptParts"
    ];

    address public immutable boss;
    address[] public people;
    mapping(string action => uint256) public successes;
    mapping(string action => uint256) public refusals;
    bytes32[] private logHashes;
    uint256 private random;
    uint256 private serial;
    string private current;
    bool private consentedMove;

    constructor(TenantLots lots_, address boss_) EagerModel(lots_) {
        boss = boss_;
        roles[boss_] = ADMIN | OPERATOR_ALL | RECALLER;
        people.push(boss_);
        for (uint160 i; i < 5; ++i) {
            people.push(address(0xA0 + i));
        }
    }

    /// Grants the first roles, by real calls like all others.
    function begin() external {
        setRoles(boss, people[1], OPERATOR_ALL);
        setRoles(boss, people[2], OPERATOR_ALL);
        setRoles(boss, people[3], OPERATOR_ALL | RETURNS);
        setRoles(boss, people[4], OPERATOR);
        setScope(boss, people[4], "p", true);
    }

    function peopleCount() external view returns (uint256) {
        return people.length;
    }

    /// One random call.
    function randomCall(uint256 seed) external {
        random = seed;
        vm.warp(block.timestamp + draw(2 * AVERAGE_INTERVAL));
        uint256 action = weighted();
        current = names[action];
        consentedMove = false;
        address[] memory holders = holdersOfRecalled();
        if (action == 0) mint();
        else if (action == 1) use();
        else if (action == 2) pack();
        else if (action == 3) unpack();
        else if (action == 4) offer();
        else if (action == 5) accept();
        else if (action == 6) close();
        else if (action == 7) recall();
        else if (action == 8) recallMany();
        else if (action == 9) lift();
        else if (action == 10) retire();
        else if (action == 11) settle();
        else if (action == 12) transfer();
        else if (action == 13) voidEvent();
        else if (action == 14) amend();
        else if (action == 15) approveAll();
        else if (action == 16) approveOne();
        else if (action == 17) grant();
        else if (action == 18) proposeWallet();
        else if (action == 19) vetoWallet();
        else if (action == 20) acceptWallet();
        else if (action == 21) pause();
        else if (action == 22) wait_();
        else if (action == 23) directReceipt();
        else if (action == 24) offerParts();
        else acceptParts();
        recalledLotsStayed(holders);
    }

    /// By lot; nobody for a lot that is not recalled, or in nobody's hands.
    function holdersOfRecalled() private view returns (address[] memory holders) {
        holders = new address[](count + 1);
        for (uint256 id = 1; id <= count; ++id) {
            Thing storage t = things[id];
            if (t.recalled && t.status != CONSUMED && t.status != RETIRED) holders[id] = lots.custodianOf(id);
        }
    }

    /// A recalled lot's holder changes to who has RETURNS only, or by a new wallet that an admin has consented to.
    function recalledLotsStayed(address[] memory before) private view {
        for (uint256 id = 1; id < before.length; ++id) {
            if (before[id] == address(0)) continue;
            address holder = lots.custodianOf(id);
            require(holder == before[id] || has(holder, RETURNS) || consentedMove, string.concat(current, ": a recalled lot went elsewhere"));
        }
    }

    // ------------------------------------------------------------------------------------------------------ recording

    function mint() private {
        TenantLots.Output[] memory outputs = someOutputs(1 + draw(3));
        if (count + outputs.length > MAX_LOTS) return;
        address by = someone();
        bytes32 process = someProcess();
        bool may = isOpen() && mayRecord(by, process) && mayMintTo(outputs);
        if (record(by, process, none(), none(), none(), outputs, 0, may)) bear(outputs, 0);
    }

    function use() private {
        uint256[] memory ids = aPair();
        if (ids.length == 0 || count == MAX_LOTS) return;
        address by = mostly(things[ids[0]].holder);
        bytes32 process = someProcess();
        uint256[] memory quantities = new uint256[](2);
        uint256[] memory used = new uint256[](2);
        TenantLots.Output[] memory outputs = someOutputs(draw(2));
        bool may = isOpen() && mayRecord(by, process) && mayMintTo(outputs) && ids[0] < ids[1];
        for (uint256 i; i < 2; ++i) {
            quantities[i] = someQuantity();
            used[i] = resolved(ids[i], quantities[i]);
            may = may && mayTake(by, ids[i], quantities[i]);
        }
        if (!record(by, process, ids, quantities, used, outputs, 0, may)) return;
        take(ids[0], used[0]);
        take(ids[1], used[1]);
        bear(outputs, 0);
    }

    function pack() private {
        uint256[] memory ids = aPair();
        if (ids.length == 0 || count == MAX_LOTS) return;
        Thing storage a = things[ids[0]];
        Thing storage b = things[ids[1]];
        address by = mostly(a.holder);
        bytes32 process = someProcess();
        TenantLots.Output[] memory outputs = someOutputs(1);
        outputs[0].custodian = mostly(a.holder);
        outputs[0].quantity = chance(10) ? 1 : 0;
        uint8 depth = 1 + (a.depth > b.depth ? a.depth : b.depth);
        bool may = isOpen() && mayRecord(by, process) && ids[0] < ids[1] && mayUse(by, ids[0]) && mayUse(by, ids[1]) && a.holder == b.holder
            && outputs[0].custodian == a.holder && outputs[0].quantity == 0 && depth <= 8;
        if (!record(by, process, ids, none(), none(), outputs, 1, may)) return;
        bear(outputs, depth);
        putInto(ids, count);
    }

    function unpack() private {
        uint256 id = aLot();
        if (id == 0) return;
        for (uint256 i; i < count && (things[id].depth == 0 || things[id].status != ACTIVE); ++i) {
            id = id % count + 1;
        }
        address by = mostly(things[id].holder);
        bytes32 process = someProcess();
        bool may =
            isOpen() && mayRecord(by, process) && things[id].depth != 0 && things[id].status == ACTIVE && actsFor(by, things[id].holder);
        if (record(by, process, one(id), none(), none(), someOutputs(0), 2, may)) breakUp(id);
    }

    function voidEvent() private {
        if (recorded.length == 0) return;
        uint256 i = draw(recorded.length);
        Recorded memory r = recorded[i];
        address by = mostly(r.header.actor);
        bool may = mayUndo(by, i);
        if (chance(10)) {
            r.header.dataHash = "other";
            may = false;
        }
        (bool ok,) = call(by, abi.encodeCall(TenantLots.voidEvent, (r.header, r.ids, r.used, r.outputs, "why")));
        if (!agreed(ok, may)) return;
        logged(TenantLots.EventVoided.selector, r.header.eventId, key(by), 0, abi.encode(bytes32("why")));
        undo(i);
        for (uint256 k; k < r.outputs.length; ++k) {
            require(lots.tokenOfTlc(r.outputs[k].tlcHash) == 0, "code still taken");
        }
    }

    function amend() private {
        address by = someone();
        TenantLots.EventRef memory e = someRide();
        bytes32 amended = recorded.length == 0 || chance(10) ? bytes32("unknown") : recorded[draw(recorded.length)].header.eventId;
        bool may = isOpen() && known[amended] && e.eventId != 0 && mayAttach(by, e);
        (bool ok,) = call(by, abi.encodeCall(TenantLots.amendEvent, (amended, e)));
        if (!agreed(ok, may)) return;
        rode(by, e, none());
        logged(TenantLots.EventAmended.selector, amended, e.eventId, key(by), "");
    }

    // -------------------------------------------------------------------------------------------------------- custody

    function offer() private {
        uint256[] memory ids = aPair();
        if (ids.length == 0) return;
        if (chance(2)) ids = one(ids[0]);
        address holder = things[ids[0]].holder;
        address by = mostly(holder);
        address to = someone();
        TenantLots.EventRef memory e = someRide();
        bool may = isOpen() && mayBeParty(to) && to != holder && actsFor(by, holder) && mayAttach(by, e);
        for (uint256 i; i < ids.length; ++i) {
            may = may && mayReceive(to, ids[i]) && things[ids[i]].holder == holder;
        }
        if (ids.length == 2) may = may && ids[0] != ids[1];
        (bool ok, bytes memory answer) = call(by, abi.encodeCall(TenantLots.offerCustody, (ids, to, e)));
        if (!agreed(ok, may)) return;
        require(abi.decode(answer, (uint256)) == ++offers, "number of the offer");
        becomesParty(to);
        for (uint256 i; i < ids.length; ++i) {
            Thing storage t = things[ids[i]];
            t.status = IN_TRANSIT;
            t.pending = to;
            t.offerNo = offers;
        }
        rode(by, e, ids);
        logged(TenantLots.CustodyOffered.selector, bytes32(offers), key(holder), key(to), abi.encode(ids, e.eventId, e.dataHash));
    }

    function accept() private {
        uint256 id = aLotInTransit();
        if (id == 0) return;
        Thing storage t = things[id];
        address by = mostly(t.pending);
        (address from, address to) = (t.holder, t.pending);
        uint256 no = chance(8) ? t.offerNo + 1 : t.offerNo;
        uint256[] memory ids = someOfTheOffer(id);
        TenantLots.EventRef memory e = someRide();
        bool may = isOpen() && no == t.offerNo && actsFor(by, to) && mayAttach(by, e);
        for (uint256 i; i < ids.length; ++i) {
            may = may && things[ids[i]].status == IN_TRANSIT && (!barred(things[ids[i]]) || has(to, RETURNS));
        }
        (bool ok,) = call(by, abi.encodeCall(TenantLots.acceptCustody, (no, ids, e)));
        if (!agreed(ok, may)) return;
        for (uint256 i; i < ids.length; ++i) {
            moveTo(ids[i], to);
        }
        rode(by, e, ids);
        logged(TenantLots.CustodyAccepted.selector, bytes32(no), key(from), key(to), abi.encode(ids, e.eventId, e.dataHash));
    }

    function offerParts() private {
        uint256[] memory ids = aPair();
        if (ids.length == 0 || count + 2 > MAX_LOTS) return;
        if (ids[0] == ids[1] || chance(2)) ids = one(ids[0]);
        uint256[] memory quantities = someParts(ids);
        address holder = things[ids[0]].holder;
        address by = mostly(holder);
        address to = someone();
        TenantLots.EventRef memory e = someRide();
        bool may = isOpen() && mayBeParty(to) && to != holder && actsFor(by, holder) && mayAttach(by, e);
        for (uint256 i; i < ids.length; ++i) {
            may = may && mayReceive(to, ids[i]) && things[ids[i]].holder == holder && mayPart(ids[i], quantities[i]);
        }
        (bool ok, bytes memory answer) = call(by, abi.encodeCall(TenantLots.offerParts, (ids, quantities, to, e)));
        if (!agreed(ok, may)) return;
        require(abi.decode(answer, (uint256)) == ++offers, "number of the offer");
        becomesParty(to);
        for (uint256 i; i < ids.length; ++i) {
            if (isPart(ids[i], quantities[i])) ids[i] = splitOff(ids[i], quantities[i], 0);
            things[ids[i]].status = IN_TRANSIT;
            things[ids[i]].pending = to;
            things[ids[i]].offerNo = offers;
        }
        rode(by, e, ids);
        logged(TenantLots.CustodyOffered.selector, bytes32(offers), key(holder), key(to), abi.encode(ids, e.eventId, e.dataHash));
    }

    function acceptParts() private {
        uint256 id = aLotInTransit();
        if (id == 0 || count + 2 > MAX_LOTS) return;
        (uint256 no, address from, address to) = (things[id].offerNo, things[id].holder, things[id].pending);
        address by = mostly(to);
        uint256[] memory ids = someOfTheOffer(id);
        uint256[] memory quantities = someParts(ids);
        uint8 reason = uint8(partsAmong(ids, quantities) == 0 ? (chance(5) ? 1 : 0) : draw(5));
        TenantLots.EventRef memory e = someRide();
        bool may = isOpen() && actsFor(by, to) && mayAttach(by, e) && reason <= 3 && (reason == 0) == (partsAmong(ids, quantities) == 0);
        for (uint256 i; i < ids.length; ++i) {
            may = may && things[ids[i]].status == IN_TRANSIT && (!barred(things[ids[i]]) || has(to, RETURNS));
            may = may && mayPart(ids[i], quantities[i]);
        }
        (bool ok,) = call(by, abi.encodeCall(TenantLots.acceptParts, (no, ids, quantities, reason, e)));
        if (!agreed(ok, may)) return;
        uint256[] memory left = leaveParts(ids, quantities, reason);
        for (uint256 i; i < ids.length; ++i) {
            moveTo(ids[i], to);
        }
        rode(by, e, ids);
        logged(TenantLots.CustodyAccepted.selector, bytes32(no), key(from), key(to), abi.encode(ids, e.eventId, e.dataHash));
        if (left.length == 0) return;
        logged(TenantLots.CustodyRejected.selector, bytes32(no), key(from), key(to), abi.encode(left, e.dataHash));
    }

    function leaveParts(uint256[] memory ids, uint256[] memory quantities, uint8 reason) private returns (uint256[] memory left) {
        left = new uint256[](partsAmong(ids, quantities));
        uint256 n;
        for (uint256 i; i < ids.length; ++i) {
            if (!isPart(ids[i], quantities[i])) continue;
            uint256 partId = splitOff(ids[i], things[ids[i]].left - quantities[i], reason);
            things[partId].status = ACTIVE;
            things[partId].pending = address(0);
            left[n++] = partId;
        }
    }

    function splitOff(uint256 id, uint256 n, uint8 reason) private returns (uint256 partId) {
        partId = split(id, n);
        logged(TenantLots.LotSplit.selector, bytes32(id), bytes32(partId), 0, abi.encode(n, reason));
    }

    function partsAmong(uint256[] memory ids, uint256[] memory quantities) private view returns (uint256 n) {
        for (uint256 i; i < ids.length; ++i) {
            if (isPart(ids[i], quantities[i])) ++n;
        }
    }

    /// All, a part, or rarely nothing or too much.
    function someParts(uint256[] memory ids) private returns (uint256[] memory quantities) {
        quantities = new uint256[](ids.length);
        for (uint256 i; i < ids.length; ++i) {
            uint256 left = things[ids[i]].left;
            quantities[i] = chance(3) ? ALL : chance(8) ? draw(600) : left < 2 ? left : 1 + draw(left);
        }
    }

    function close() private {
        uint256 id = aLotInTransit();
        if (id == 0) return;
        (uint256 no, address from, address to) = (things[id].offerNo, things[id].holder, things[id].pending);
        bool reject = chance(2);
        address by = mostly(reject ? to : from);
        uint256[] memory ids = someOfTheOffer(id);
        bool may = things[id].status == IN_TRANSIT && actsFor(by, reject ? to : from);
        bytes memory data = reject
            ? abi.encodeCall(TenantLots.rejectCustody, (no, ids, "why"))
            : abi.encodeCall(TenantLots.cancelCustody, (no, ids, "why"));
        (bool ok,) = call(by, data);
        if (!agreed(ok, may)) return;
        for (uint256 i; i < ids.length; ++i) {
            things[ids[i]].status = ACTIVE;
            things[ids[i]].pending = address(0);
        }
        bytes32 topic = reject ? TenantLots.CustodyRejected.selector : TenantLots.CustodyCancelled.selector;
        logged(topic, bytes32(no), key(from), key(to), abi.encode(ids, bytes32("why")));
    }

    function transfer() private {
        uint256 id = aLot();
        if (id == 0) return;
        Thing storage t = things[id];
        address from = chance(10) ? someone() : t.holder;
        address by = chance(3) && t.approved != address(0) ? t.approved : mostly(t.holder);
        address to = someone();
        bool may = isOpen() && mayReceive(to, id) && t.holder == from && (actsFor(by, from) || (by == t.approved)) && mayBeParty(to)
            && takesTransfers[to];
        (bool ok,) = call(by, abi.encodeCall(TenantLots.transferFrom, (from, to, id)));
        if (!agreed(ok, may)) return;
        moveTo(id, to);
        becomesParty(to);
        logged(TenantLots.CustodyMoved.selector, bytes32(id), key(from), key(to), "");
    }

    function settle() private {
        uint256 id = aLot();
        if (id == 0) return;
        // Contents of a retired container stay in it.
        bool may = things[id].box == 0;
        (bool ok,) = call(someone(), abi.encodeCall(TenantLots.settle, (one(id))));
        agreed(ok, may);
        if (ok) require(lots.ownerOf(id) == things[id].holder, "settled at its holder");
    }

    // -------------------------------------------------------------------------------------------- retire and recall

    function retire() private {
        uint256 id = aLot();
        if (id == 0) return;
        Thing storage t = things[id];
        address by = mostly(t.holder);
        uint256 quantity = chance(2) ? ALL : draw(500);
        uint8 reason = uint8(draw(11));
        TenantLots.EventRef memory e = someRide();
        bool may = isOpen() && t.status == ACTIVE && actsFor(by, t.holder) && mayAttach(by, e);
        may = may && reason != 0 && reason <= 9 && reason != VOIDED && reason != UNPACKED;
        may = may && (!barred(t) || (reason >= 2 && reason <= 5));
        may = may && (quantity == ALL || (!t.uncounted && quantity != 0 && quantity <= t.left));
        uint256 gone = resolved(id, quantity);
        (bool ok,) = call(by, abi.encodeCall(TenantLots.retire, (one(id), one(quantity), reason, e)));
        if (!agreed(ok, may)) return;
        rode(by, e, one(id));
        bytes memory data = abi.encode(one(id), one(gone), e.dataHash);
        logged(TenantLots.LotsRetired.selector, key(by), bytes32(uint256(reason)), e.eventId, data);
        if (quantity == ALL || quantity == t.left) {
            retireAll(id, reason);
        } else {
            t.left -= quantity;
            t.gone += quantity;
        }
    }

    function recall() private {
        uint256 id = aLot();
        if (id == 0) return;
        address by = mostly(boss);
        (bool ok,) = call(by, abi.encodeCall(TenantLots.recall, (id, "why")));
        if (!agreed(ok, has(by, RECALLER | ADMIN) && !things[id].recalled)) return;
        setRecalled(id);
        logged(TenantLots.LotsRecalled.selector, key(by), "why", 0, abi.encode(one(id)));
    }

    /// Lots may be given twice, be recalled already, or not exist.
    function recallMany() private {
        if (count == 0) return;
        address by = mostly(boss);
        uint256[] memory ids = new uint256[](3);
        bool may = has(by, RECALLER | ADMIN);
        for (uint256 i; i < 3; ++i) {
            ids[i] = chance(20) ? count + 1 : aLot();
            may = may && ids[i] <= count;
        }
        (bool ok,) = call(by, abi.encodeCall(TenantLots.recallMany, (ids, "why")));
        if (!agreed(ok, may)) return;
        uint256[] memory fresh = new uint256[](3);
        uint256 n;
        for (uint256 i; i < 3; ++i) {
            if (things[ids[i]].recalled) continue;
            setRecalled(ids[i]);
            fresh[n++] = ids[i];
        }
        assembly {
            mstore(fresh, n)
        }
        if (n == 0) require(logHashes.length == 0, "said something new");
        else logged(TenantLots.LotsRecalled.selector, key(by), "why", 0, abi.encode(fresh));
    }

    function lift() private {
        uint256 id = aLot();
        for (uint256 i; i < count && !things[id].recalled; ++i) {
            id = id % count + 1;
        }
        if (id == 0) return;
        address by = mostly(boss);
        (bool ok,) = call(by, abi.encodeCall(TenantLots.liftRecall, (one(id), "why")));
        if (!agreed(ok, has(by, ADMIN) && things[id].recalled)) return;
        things[id].recalled = false;
        logged(TenantLots.RecallLifted.selector, key(by), "why", 0, abi.encode(one(id)));
    }

    // ------------------------------------------------------------------------------------------ rights, time, wallets

    function approveAll() private {
        (address by, address to, bool on) = (someone(), someone(), chance(2));
        (bool ok,) = call(by, abi.encodeCall(TenantLots.setApprovalForAll, (to, on)));
        if (agreed(ok, true)) actsForAll[by][to] = on;
    }

    function approveOne() private {
        uint256 id = aLot();
        if (id == 0) return;
        address by = mostly(things[id].holder);
        address to = chance(4) ? address(0) : someone();
        (bool ok,) = call(by, abi.encodeCall(TenantLots.approve, (to, id)));
        if (agreed(ok, actsFor(by, things[id].owner))) things[id].approved = to;
    }

    function grant() private {
        address by = mostly(boss);
        address to = someone();
        if (chance(3)) return setScope(by, to, someProcess(), chance(2));
        uint8[6] memory choice = [2, 2, 2 | 16, 4, 4 | 8, 0];
        setRoles(by, to, choice[draw(6)]);
    }

    function setRoles(address by, address to, uint256 roles_) private {
        (bool ok,) = call(by, abi.encodeCall(TenantLots.setRoles, (to, roles_)));
        if (!agreed(ok, has(by, ADMIN) && (to != by || roles_ & ADMIN != 0))) return;
        roles[to] = roles_;
        logged(TenantLots.RolesChanged.selector, key(to), 0, 0, abi.encode(roles_));
    }

    function setScope(address by, address to, bytes32 process, bool allowed) private {
        bytes32[] memory processes = new bytes32[](1);
        processes[0] = process;
        (bool ok,) = call(by, abi.encodeCall(TenantLots.setProcessScope, (to, processes, allowed)));
        if (agreed(ok, has(by, ADMIN))) scope[to][process] = allowed;
    }

    function directReceipt() private {
        (address by, bool on) = (someone(), chance(4));
        (bool ok,) = call(by, abi.encodeCall(TenantLots.setDirectReceipt, (!on)));
        if (!agreed(ok, mayBeParty(by))) return;
        takesTransfers[by] = !on;
        becomesParty(by);
    }

    function pause() private {
        address by = mostly(boss);
        uint256 time = chance(8) ? 31 days : draw(2 hours);
        (bool ok,) = call(by, abi.encodeCall(TenantLots.pause, (block.timestamp + time)));
        if (agreed(ok, has(by, ADMIN) && time <= 30 days)) pausedUntil = block.timestamp + time;
    }

    function wait_() private {
        vm.warp(block.timestamp + draw(8 days));
        ++successes[current];
    }

    function proposeWallet() private {
        address from = someone();
        address by = chance(2) ? boss : mostly(from);
        address to = someone();
        if (people.length < MAX_PEOPLE && !chance(4)) {
            to = address(uint160(0xB000 + ++serial));
            people.push(to);
        }
        bool may = mayPropose(by, from, to);
        (bool ok,) = call(by, abi.encodeCall(TenantLots.proposeWallet, (from, to)));
        if (!agreed(ok, may)) return;
        propose(by, from, to);
        logged(TenantLots.WalletProposed.selector, key(from), key(to), 0, abi.encode(proposals[from].readyAt, by));
    }

    function vetoWallet() private {
        address by = someone();
        (bool ok,) = call(by, abi.encodeCall(TenantLots.vetoWallet, ()));
        if (agreed(ok, true)) withdraw(by);
    }

    function acceptWallet() private {
        address from = someone();
        for (uint256 i; i < people.length && proposals[from].to == address(0); ++i) {
            from = people[draw(people.length)];
        }
        address by = mostly(proposals[from].to);
        bool may = mayTakeOver(by, from);
        uint32 party = lots.accountOf(from).party;
        (bool ok,) = call(by, abi.encodeCall(TenantLots.acceptWallet, (from)));
        if (!agreed(ok, may)) return;
        consentedMove = consented(by, from);
        takeOver(by, from);
        logged(TenantLots.WalletMoved.selector, key(from), key(by), 0, abi.encode(party));
    }

    // ---------------------------------------------------------------------------------------------------- comparing

    function record(
        address by,
        bytes32 process,
        uint256[] memory ids,
        uint256[] memory quantities,
        uint256[] memory used,
        TenantLots.Output[] memory outputs,
        uint8 mode,
        bool may
    ) private returns (bool) {
        TenantLots.Header memory h = TenantLots.Header(keccak256(abi.encode("event", ++serial)), process, by, mode, count + 1, "content");
        (bool ok, bytes memory answer) =
            call(by, abi.encodeCall(TenantLots.recordEvent, (h.eventId, process, ids, quantities, outputs, mode, h.dataHash)));
        if (!agreed(ok, may)) return false;
        require(abi.decode(answer, (uint256)) == count + 1, "first output id");
        remember(h, ids, used, outputs);
        loggedEvent(h, ids, used, outputs.length);
        return true;
    }

    /// The event that rode on a call, if there was one.
    function rode(address by, TenantLots.EventRef memory e, uint256[] memory ids) private {
        if (e.eventId == 0) return;
        TenantLots.Header memory h = TenantLots.Header(e.eventId, e.processId, by, 0, 0, e.dataHash);
        remember(h, ids, none(), someOutputs(0));
        loggedEvent(h, ids, none(), 0);
    }

    function call(address by, bytes memory data) private returns (bool ok, bytes memory answer) {
        vm.recordLogs();
        vm.prank(by);
        (ok, answer) = address(lots).call(data);
    }

    /// Both say the same; the logs of a successful call are kept, and ERC-721's owners follow them.
    function agreed(bool ok, bool may) private returns (bool) {
        require(ok == may, string.concat(current, ok ? ": the model refuses" : ": the contract refuses"));
        ++(ok ? successes : refusals)[current];
        Vm.Log[] memory logs = vm.getRecordedLogs();
        delete logHashes;
        for (uint256 i; ok && i < logs.length; ++i) {
            if (logs[i].topics[0] == IERC721.Transfer.selector) follow(logs[i]);
            logHashes.push(keccak256(abi.encode(logs[i].topics, logs[i].data)));
        }
        return ok;
    }

    function follow(Vm.Log memory log) private {
        Thing storage t = things[uint256(log.topics[3])];
        require(key(t.owner) == log.topics[1], "Transfer does not begin at the last owner");
        t.owner = address(uint160(uint256(log.topics[2])));
    }

    function loggedEvent(TenantLots.Header memory h, uint256[] memory ids, uint256[] memory used, uint256 outputs) private view {
        bytes memory data = abi.encode(h.dataHash, h.mode, ids, used, h.firstOutputId, outputs);
        logged(TenantLots.EventRecorded.selector, h.eventId, h.processId, key(h.actor), data);
    }

    /// The call has left this log. A topic of 0 ends the topics, unless the event has three.
    function logged(bytes32 name, bytes32 a, bytes32 b, bytes32 c, bytes memory data) private view {
        for (uint256 n = 2; n <= 4; ++n) {
            bytes32[] memory topics = new bytes32[](n);
            topics[0] = name;
            topics[1] = a;
            if (n > 2) topics[2] = b;
            if (n > 3) topics[3] = c;
            bytes32 wanted = keccak256(abi.encode(topics, data));
            for (uint256 i; i < logHashes.length; ++i) {
                if (logHashes[i] == wanted) return;
            }
        }
        revert(string.concat(current, ": a log is missing or differs"));
    }

    function mayMintTo(TenantLots.Output[] memory outputs) private view returns (bool) {
        for (uint256 i; i < outputs.length; ++i) {
            if (!mayBeParty(outputs[i].custodian)) return false;
        }
        return true;
    }

    // -------------------------------------------------------------------------------------------------------- choosing

    function draw(uint256 below) private returns (uint256) {
        random = uint256(keccak256(abi.encode(random)));
        return random % below;
    }

    function chance(uint256 oneIn) private returns (bool) {
        return draw(oneIn) == 0;
    }

    function weighted() private returns (uint256) {
        uint256 sum;
        for (uint256 i; i < weights.length; ++i) {
            sum += weights[i];
        }
        uint256 x = draw(sum);
        for (uint256 i; i < weights.length; ++i) {
            if (x < weights[i]) return i;
            x -= weights[i];
        }
        return 0;
    }

    function someone() private returns (address) {
        return people[draw(people.length)];
    }

    /// The one who can, four times of five.
    function mostly(address who) private returns (address) {
        return who == address(0) || chance(5) ? someone() : who;
    }

    function someProcess() private returns (bytes32) {
        return chance(8) ? bytes32("q") : bytes32("p");
    }

    function someQuantity() private returns (uint256) {
        uint256 kind = draw(3);
        return kind == 0 ? 0 : kind == 1 ? ALL : draw(600) + 1;
    }

    function someOutputs(uint256 n) private returns (TenantLots.Output[] memory outputs) {
        outputs = new TenantLots.Output[](n);
        for (uint256 i; i < n; ++i) {
            uint80 quantity = chance(4) ? 0 : uint80(draw(1000));
            outputs[i] = TenantLots.Output(keccak256(abi.encode("code", ++serial)), "type", someone(), quantity, 0);
        }
    }

    /// Mostly none, else a new one, rarely one that is taken.
    function someRide() private returns (TenantLots.EventRef memory e) {
        if (!chance(3)) return TenantLots.EventRef(0, 0, chance(2) ? bytes32("document") : bytes32(0));
        bool taken = recorded.length != 0 && chance(6);
        bytes32 eventId = taken ? recorded[draw(recorded.length)].header.eventId : keccak256(abi.encode("event", ++serial));
        return TenantLots.EventRef(eventId, someProcess(), "content");
    }

    /// 0 = there is none yet.
    function aLot() private returns (uint256) {
        return count == 0 ? 0 : draw(count) + 1;
    }

    function aLotInTransit() private returns (uint256 id) {
        id = aLot();
        for (uint256 i; i < count && things[id].status != IN_TRANSIT; ++i) {
            id = id % count + 1;
        }
    }

    /// The lot alone, or with another that is still open in its offer.
    function someOfTheOffer(uint256 id) private returns (uint256[] memory) {
        if (chance(3)) return one(id);
        for (uint256 other = 1; other <= count; ++other) {
            bool sameOffer = things[other].status == IN_TRANSIT && things[other].offerNo == things[id].offerNo;
            if (other != id && sameOffer) return two(id, other);
        }
        return one(id);
    }

    /// Two lots, four times of five such that one holder could use them both; mostly in ascending order.
    function aPair() private returns (uint256[] memory) {
        if (count < 2) return none();
        (uint256 x, uint256 y) = (aLot(), aLot());
        if (!chance(5)) {
            for (uint256 i; i < count && !fit(x); ++i) {
                x = x % count + 1;
            }
            for (uint256 i; i < count && (y == x || !fit(y) || things[y].holder != things[x].holder); ++i) {
                y = y % count + 1;
            }
        }
        if ((x > y) != chance(10)) (x, y) = (y, x);
        return two(x, y);
    }

    function fit(uint256 id) private view returns (bool) {
        return things[id].status == ACTIVE && !barred(things[id]);
    }

    function key(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }

    function none() private pure returns (uint256[] memory) {
        return new uint256[](0);
    }

    function one(uint256 a) private pure returns (uint256[] memory r) {
        r = new uint256[](1);
        r[0] = a;
    }

    function two(uint256 a, uint256 b) private pure returns (uint256[] memory r) {
        r = new uint256[](2);
        (r[0], r[1]) = (a, b);
    }
}
