// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../../src/TenantLots.sol";
import {TenantRegistry} from "../../src/TenantRegistry.sol";
import {vm} from "./Vm.sol";

/// A tenant with its people, short words for what they do, and exact assertions. The test contract owns the registry.
abstract contract TenantTest {
    bool public constant IS_TEST = true;

    uint256 internal constant ALL = type(uint256).max;
    uint256 internal constant ACTIVE = 1;
    uint256 internal constant IN_TRANSIT = 2;
    uint256 internal constant AGGREGATED = 3;
    uint256 internal constant CONSUMED = 4;
    uint256 internal constant RECALLED = 5;
    uint256 internal constant RETIRED = 6;
    uint8 internal constant SOLD = 1;
    uint8 internal constant DISPOSED = 2;
    uint8 internal constant DESTROYED = 3;
    uint8 internal constant VOIDED = 6;
    uint8 internal constant UNPACKED = 8;

    uint256 internal constant OPERATOR_ALL = 2;
    uint256 internal constant OPERATOR = 4;
    uint256 internal constant RECALLER = 8;
    uint256 internal constant RETURNS = 16;

    bytes32 internal constant PROCESS = "RICE_MILLING";
    bytes32 internal constant WHY = "why";

    address internal constant admin = address(0xAD);
    address internal constant farm = address(0xFA);
    address internal constant mill = address(0x31);
    address internal constant shop = address(0x50);
    /// takes recalled lots back
    address internal constant recycler = address(0x4E);
    /// may record PROCESS only
    address internal constant lab = address(0x1AB);
    address internal constant outsider = address(0xE7);

    TenantRegistry internal registry;
    TenantLots internal lots;
    TenantLots.EventRef internal noEvent;
    uint256 private serial;

    function setUp() public virtual {
        registry = new TenantRegistry(address(this));
        registry.publish(address(new TenantLots()));
        lots = TenantLots(registry.createTenant("tenant", "Tenant", admin));
        grant(farm, OPERATOR_ALL);
        grant(mill, OPERATOR_ALL);
        grant(shop, OPERATOR_ALL);
        grant(recycler, OPERATOR_ALL | RETURNS);
        grant(lab, OPERATOR);
        allow(lab, PROCESS, true);
    }

    // ------------------------------------------------------------------------------------------------------ actions

    function grant(address account, uint256 roles) internal {
        vm.prank(admin);
        lots.setRoles(account, roles);
    }

    function allow(address account, bytes32 process, bool allowed) internal {
        bytes32[] memory processes = new bytes32[](1);
        processes[0] = process;
        vm.prank(admin);
        lots.setProcessScope(account, processes, allowed);
    }

    function pauseFor(uint256 time) internal {
        vm.prank(admin);
        lots.pause(block.timestamp + time);
    }

    function mint(address by, uint256 quantity) internal returns (uint256) {
        return record(by, none(), none(), output(by, quantity), 0);
    }

    function use(address by, uint256 id, uint256 quantity) internal {
        record(by, one(id), one(quantity), nothing(), 0);
    }

    function observe(address by, uint256 id) internal {
        use(by, id, 0);
    }

    function pack(address by, uint256[] memory ids) internal returns (uint256) {
        return record(by, ids, none(), output(by, 0), 1);
    }

    function pack(address by, uint256 id) internal returns (uint256) {
        return pack(by, one(id));
    }

    function unpack(address by, uint256 id) internal {
        record(by, one(id), none(), nothing(), 2);
    }

    function record(address by, uint256[] memory ids, uint256[] memory quantities, TenantLots.Output[] memory outputs, uint8 mode)
        internal
        returns (uint256)
    {
        bytes32 eventId = fresh();
        vm.prank(by);
        return lots.recordEvent(eventId, PROCESS, ids, quantities, outputs, mode, "content");
    }

    function offer(address by, uint256[] memory ids, address to) internal returns (uint256) {
        vm.prank(by);
        return lots.offerCustody(ids, to, noEvent);
    }

    function offer(address by, uint256 id, address to) internal returns (uint256) {
        return offer(by, one(id), to);
    }

    function accept(address by, uint256 no, uint256 id) internal {
        vm.prank(by);
        lots.acceptCustody(no, one(id), noEvent);
    }

    function reject(address by, uint256 no, uint256 id) internal {
        vm.prank(by);
        lots.rejectCustody(no, one(id), WHY);
    }

    function cancel(address by, uint256 no, uint256 id) internal {
        vm.prank(by);
        lots.cancelCustody(no, one(id), WHY);
    }

    function handOver(address from, uint256 id, address to) internal {
        accept(to, offer(from, id, to), id);
    }

    function offerPart(address by, uint256 id, uint256 quantity, address to) internal returns (uint256) {
        vm.prank(by);
        return lots.offerParts(one(id), one(quantity), to, noEvent);
    }

    function acceptPart(address by, uint256 no, uint256 id, uint256 quantity, uint8 reason) internal {
        vm.prank(by);
        lots.acceptParts(no, one(id), one(quantity), reason, noEvent);
    }

    function directReceipt(address by, bool allowed) internal {
        vm.prank(by);
        lots.setDirectReceipt(allowed);
    }

    function transfer(address by, uint256 id, address to) internal {
        vm.prank(by);
        lots.transferFrom(by, to, id);
    }

    function approveAll(address by, address operator, bool ok) internal {
        vm.prank(by);
        lots.setApprovalForAll(operator, ok);
    }

    function approve(address by, uint256 id, address to) internal {
        vm.prank(by);
        lots.approve(to, id);
    }

    function retire(address by, uint256 id, uint256 quantity, uint8 reason) internal {
        vm.prank(by);
        lots.retire(one(id), one(quantity), reason, noEvent);
    }

    function recall(uint256 id) internal {
        vm.prank(admin);
        lots.recall(id, WHY);
    }

    function liftRecall(uint256 id) internal {
        vm.prank(admin);
        lots.liftRecall(one(id), WHY);
    }

    function proposeWallet(address by, address from, address to) internal {
        vm.prank(by);
        lots.proposeWallet(from, to);
    }

    function acceptWallet(address by, address from) internal {
        vm.prank(by);
        lots.acceptWallet(from);
    }

    /// Records an event and gives it back as voidEvent wants it.
    function recordWithHeader(address by, uint256[] memory ids, uint256[] memory quantities, TenantLots.Output[] memory outputs)
        internal
        returns (TenantLots.Header memory)
    {
        bytes32 eventId = fresh();
        vm.prank(by);
        uint256 firstId = lots.recordEvent(eventId, PROCESS, ids, quantities, outputs, 0, "content");
        return TenantLots.Header(eventId, PROCESS, by, 0, firstId, "content");
    }

    function undo(
        address by,
        TenantLots.Header memory header,
        uint256[] memory ids,
        uint256[] memory consumed,
        TenantLots.Output[] memory outputs
    ) internal {
        vm.prank(by);
        lots.voidEvent(header, ids, consumed, outputs, WHY);
    }

    // -------------------------------------------------------------------------------------------------------- calls

    function recordCall(uint256[] memory ids, uint256[] memory quantities, TenantLots.Output[] memory outputs, uint8 mode)
        internal
        returns (bytes memory)
    {
        return abi.encodeCall(TenantLots.recordEvent, (fresh(), PROCESS, ids, quantities, outputs, mode, "content"));
    }

    function mintCall(TenantLots.Output[] memory outputs) internal returns (bytes memory) {
        return recordCall(none(), none(), outputs, 0);
    }

    function useCall(uint256 id, uint256 quantity) internal returns (bytes memory) {
        return recordCall(one(id), one(quantity), nothing(), 0);
    }

    function packCall(uint256 id, address custodian) internal returns (bytes memory) {
        return recordCall(one(id), none(), output(custodian, 0), 1);
    }

    function unpackCall(uint256 id) internal returns (bytes memory) {
        return recordCall(one(id), none(), nothing(), 2);
    }

    function offerCall(uint256[] memory ids, address to) internal view returns (bytes memory) {
        return abi.encodeCall(TenantLots.offerCustody, (ids, to, noEvent));
    }

    function offerCall(uint256 id, address to) internal view returns (bytes memory) {
        return offerCall(one(id), to);
    }

    function acceptCall(uint256 no, uint256 id) internal view returns (bytes memory) {
        return abi.encodeCall(TenantLots.acceptCustody, (no, one(id), noEvent));
    }

    function offerPartCall(uint256 id, uint256 quantity, address to) internal view returns (bytes memory) {
        return abi.encodeCall(TenantLots.offerParts, (one(id), one(quantity), to, noEvent));
    }

    function acceptPartCall(uint256 no, uint256 id, uint256 quantity, uint8 reason) internal view returns (bytes memory) {
        return abi.encodeCall(TenantLots.acceptParts, (no, one(id), one(quantity), reason, noEvent));
    }

    function rejectCall(uint256 no, uint256 id) internal pure returns (bytes memory) {
        return abi.encodeCall(TenantLots.rejectCustody, (no, one(id), WHY));
    }

    function cancelCall(uint256 no, uint256 id) internal pure returns (bytes memory) {
        return abi.encodeCall(TenantLots.cancelCustody, (no, one(id), WHY));
    }

    function retireCall(uint256 id, uint256 quantity, uint8 reason) internal view returns (bytes memory) {
        return abi.encodeCall(TenantLots.retire, (one(id), one(quantity), reason, noEvent));
    }

    function transferCall(address from, address to, uint256 id) internal pure returns (bytes memory) {
        return abi.encodeCall(TenantLots.transferFrom, (from, to, id));
    }

    function voidCall(TenantLots.Header memory header, uint256[] memory ids, uint256[] memory consumed, TenantLots.Output[] memory outputs)
        internal
        pure
        returns (bytes memory)
    {
        return abi.encodeCall(TenantLots.voidEvent, (header, ids, consumed, outputs, WHY));
    }

    // ------------------------------------------------------------------------------------------------------- values

    function fresh() internal returns (bytes32) {
        return keccak256(abi.encode(++serial));
    }

    function withEvent() internal returns (TenantLots.EventRef memory) {
        return TenantLots.EventRef(fresh(), PROCESS, "content");
    }

    /// Of an event that is attached to another call.
    function commitment(TenantLots.EventRef memory e, address actor, uint256[] memory ids) internal view returns (bytes32) {
        TenantLots.Header memory header = TenantLots.Header(e.eventId, e.processId, actor, 0, 0, e.dataHash);
        bytes32 ins = keccak256(abi.encode(ids, none()));
        return keccak256(abi.encode(block.chainid, address(lots), header, ins, keccak256(abi.encode(nothing()))));
    }

    function output(address custodian, uint256 quantity) internal returns (TenantLots.Output[] memory o) {
        o = new TenantLots.Output[](1);
        o[0] = TenantLots.Output(fresh(), "rice", custodian, uint80(quantity), 0);
    }

    function nothing() internal pure returns (TenantLots.Output[] memory) {
        return new TenantLots.Output[](0);
    }

    function none() internal pure returns (uint256[] memory) {
        return new uint256[](0);
    }

    function one(uint256 a) internal pure returns (uint256[] memory r) {
        r = new uint256[](1);
        r[0] = a;
    }

    function two(uint256 a, uint256 b) internal pure returns (uint256[] memory r) {
        r = new uint256[](2);
        r[0] = a;
        r[1] = b;
    }

    function many(uint256 n) internal pure returns (uint256[] memory) {
        return new uint256[](n);
    }

    // --------------------------------------------------------------------------------------------------- assertions

    function status(uint256 id) internal view returns (uint256) {
        return lots.lotOf(id).status;
    }

    function remaining(uint256 id) internal view returns (uint256) {
        return lots.lotOf(id).remaining;
    }

    /// The call must fail with exactly this error.
    function refuses(address by, bytes memory call, bytes memory why) internal {
        refuses(address(lots), by, call, why);
    }

    function refuses(address target, address by, bytes memory call, bytes memory why) internal {
        vm.prank(by);
        (bool ok, bytes memory answer) = target.call(call);
        require(!ok, string.concat("accepted, instead of ", vm.toString(why)));
        require(keccak256(answer) == keccak256(why), string.concat(vm.toString(answer), " instead of ", vm.toString(why)));
    }

    function notCustodian(uint256 id, address who) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(TenantLots.NotCustodian.selector, id, who);
    }

    function notAuthorized(address who, bytes32 process) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(TenantLots.NotAuthorized.selector, who, process);
    }

    function notActive(uint256 id, uint256 st) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(TenantLots.LotNotActive.selector, id, st);
    }

    function isRecalled(uint256 id) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(TenantLots.LotIsRecalled.selector, id);
    }

    function contained(uint256 id, uint256 box) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(TenantLots.LotContained.selector, id, box);
    }

    function noOffer(uint256 id, uint256 no) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(TenantLots.NoOffer.selector, id, no);
    }

    function touched(uint256 id) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(TenantLots.LotTouched.selector, id);
    }

    function invalidAddress(address account) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(TenantLots.InvalidAddress.selector, account);
    }

    function equal(uint256 actual, uint256 expected, string memory what) internal pure {
        require(actual == expected, string.concat(what, ": ", vm.toString(actual), " instead of ", vm.toString(expected)));
    }

    function equal(address actual, address expected, string memory what) internal pure {
        require(actual == expected, string.concat(what, ": ", vm.toString(actual), " instead of ", vm.toString(expected)));
    }

    function equal(bytes32 actual, bytes32 expected, string memory what) internal pure {
        equal(uint256(actual), uint256(expected), what);
    }
}
