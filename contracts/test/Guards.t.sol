// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../src/TenantLots.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {vm} from "./support/Vm.sol";

/// Every function that changes something, for a lot that is recalled, for a container of a recalled lot, and during a pause. A function that
/// is added to the contract fails this test until it has a row.
contract GuardsTest is TenantTest {
    enum State {
        Open,
        Recalled,
        Holding, // a container, in which a lot is recalled
        Paused
    }

    address private constant fresher = address(0xF1);
    uint256 private no;
    TenantLots.Header private header;
    TenantLots.Output[] private made;
    mapping(string name => bool) private rows;

    function test_everyFunctionForRecalledLotsAndDuringAPause() public {
        //                           open, recalled, holding, paused
        row("initialize", "", "nnnn");
        row("recordEvent", "observe", "yyyn");
        row("recordEvent", "use", "ynnn");
        row("recordEvent", "pack", "ynnn");
        row("recordEvent", "unpack", "yyyn");
        row("voidEvent", "", "ynnn");
        row("amendEvent", "", "yyyn");
        row("offerCustody", "to the shop", "ynnn");
        row("offerCustody", "to the shop, by an operator", "ynnn");
        row("offerCustody", "to the recycler", "yyyn");
        row("acceptCustody", "by the mill", "ynnn");
        row("acceptCustody", "by the recycler", "yyyn");
        row("offerParts", "all of it, to the shop", "ynnn");
        row("offerParts", "all of it, to the recycler", "yyyn");
        row("acceptParts", "all of it, by the mill", "ynnn");
        row("acceptParts", "all of it, by the recycler", "yyyn");
        row("rejectCustody", "", "yyyy");
        row("cancelCustody", "", "yyyy");
        row("setDirectReceipt", "", "yyyy");
        row("settle", "", "yyyy");
        row("retire", "sold", "ynnn");
        row("retire", "disposed", "yyyn");
        row("recall", "", "ynyy");
        row("recallMany", "", "yyyy");
        row("liftRecall", "", "nynn");
        row("setRoles", "", "yyyy");
        row("setProcessScope", "", "yyyy");
        row("pause", "", "yyyy");
        row("proposeWallet", "", "yyyy");
        row("vetoWallet", "", "yyyy");
        row("acceptWallet", "", "ynnn");
        row("acceptWallet", "with RETURNS", "yyyn");
        row("acceptWallet", "as an admin proposed", "yyyn");
        row("approve", "", "yyyy");
        row("setApprovalForAll", "", "yyyy");
        row("transferFrom", "to the mill", "ynnn");
        row("transferFrom", "to the mill, by the approved", "ynnn");
        row("transferFrom", "to the recycler", "yyyn");
        row("safeTransferFrom", "to the mill", "ynnn");
        row("safeTransferFrom", "to the recycler", "yyyn");
        row("safeTransferFrom", "to the recycler, with data", "yyyn");
        everyFunctionHasARow();
    }

    function row(string memory name, string memory how, string memory wanted) private {
        rows[name] = true;
        for (uint256 i; i < 4; ++i) {
            setUp();
            State state = State(i);
            bool broken = same(how, "unpack");
            uint256 lot = mintWithHeader();
            uint256 id = state == State.Holding || broken ? pack(farm, lot) : lot;
            before(name, how, id);
            if (state == State.Recalled) recall(id);
            if (state == State.Holding) recall(lot);
            if (state == State.Paused) pauseFor(10 days);
            (address by, bytes memory call) = callOf(name, how, id);
            vm.prank(by);
            (bool ok,) = address(lots).call(call);
            string memory what = string.concat(name, " ", how, ", state ", vm.toString(i));
            require(ok == (bytes(wanted)[i] == "y"), string.concat(what, ok ? ": was possible" : ": was refused"));
            if (state != State.Open) stayed(same(how, "as an admin proposed"), lot, what);
        }
    }

    /// Where it was, or with somebody who may have it.
    function stayed(bool consented, uint256 lot, string memory what) private view {
        address holder = lots.custodianOf(lot);
        bool returns_ = lots.accountOf(holder).roles & RETURNS != 0;
        require(holder == farm || returns_ || consented, string.concat(what, ": the lot went elsewhere"));
    }

    function mintWithHeader() private returns (uint256) {
        delete made;
        made.push(output(farm, 10)[0]);
        header = recordWithHeader(farm, none(), none(), made);
        return header.firstOutputId;
    }

    function before(string memory name, string memory how, uint256 id) private {
        bool answers = same(name, "acceptCustody") || same(name, "acceptParts");
        if (answers || same(name, "rejectCustody") || same(name, "cancelCustody")) {
            no = offer(farm, id, same(how, "by the recycler") || same(how, "all of it, by the recycler") ? recycler : mill);
        }
        if (same(how, "by an operator") || same(how, "to the shop, by an operator")) approveAll(farm, lab, true);
        if (same(how, "to the mill, by the approved")) approve(farm, id, lab);
        directReceipt(mill, true);
        directReceipt(recycler, true);
        if (same(name, "acceptWallet") || same(name, "vetoWallet")) {
            bool byAdmin = same(how, "as an admin proposed");
            proposeWallet(byAdmin ? admin : farm, farm, fresher);
            if (byAdmin) vm.warp(block.timestamp + 7 days);
            if (same(how, "with RETURNS")) grant(fresher, RETURNS);
        }
    }

    function callOf(string memory name, string memory how, uint256 id) private returns (address, bytes memory) {
        if (same(name, "recordEvent")) return (farm, recording(how, id));
        if (same(name, "voidEvent")) return (farm, voidCall(header, none(), none(), made));
        if (same(name, "amendEvent")) return (farm, abi.encodeCall(lots.amendEvent, (header.eventId, withEvent())));
        if (same(name, "offerCustody")) {
            return (same(how, "to the shop, by an operator") ? lab : farm, offerCall(id, same(how, "to the recycler") ? recycler : shop));
        }
        if (same(name, "acceptCustody")) return (same(how, "by the recycler") ? recycler : mill, acceptCall(no, id));
        if (same(name, "offerParts")) {
            return (farm, offerPartCall(id, ALL, same(how, "all of it, to the recycler") ? recycler : shop));
        }
        if (same(name, "acceptParts")) {
            return (same(how, "all of it, by the recycler") ? recycler : mill, acceptPartCall(no, id, ALL, 0));
        }
        if (same(name, "rejectCustody")) return (mill, rejectCall(no, id));
        if (same(name, "cancelCustody")) return (farm, cancelCall(no, id));
        if (same(name, "retire")) return (farm, retireCall(id, ALL, same(how, "sold") ? SOLD : DISPOSED));
        if (same(name, "transferFrom")) {
            address by = same(how, "to the mill, by the approved") ? lab : farm;
            return (by, transferCall(farm, same(how, "to the recycler") ? recycler : mill, id));
        }
        if (same(name, "safeTransferFrom")) return (farm, safely(how, id));
        return administering(name, id);
    }

    function administering(string memory name, uint256 id) private view returns (address, bytes memory) {
        if (same(name, "initialize")) return (admin, abi.encodeCall(lots.initialize, ("t", "T", farm, 1)));
        if (same(name, "setDirectReceipt")) return (farm, abi.encodeCall(lots.setDirectReceipt, (true)));
        if (same(name, "settle")) return (outsider, abi.encodeCall(lots.settle, (one(id))));
        if (same(name, "recall")) return (admin, abi.encodeCall(lots.recall, (id, WHY)));
        if (same(name, "recallMany")) return (admin, abi.encodeCall(lots.recallMany, (one(id), WHY)));
        if (same(name, "liftRecall")) return (admin, abi.encodeCall(lots.liftRecall, (one(id), WHY)));
        if (same(name, "setRoles")) return (admin, abi.encodeCall(lots.setRoles, (farm, OPERATOR)));
        if (same(name, "setProcessScope")) return (admin, abi.encodeCall(lots.setProcessScope, (farm, new bytes32[](1), true)));
        if (same(name, "pause")) return (admin, abi.encodeCall(lots.pause, (block.timestamp + 1)));
        if (same(name, "proposeWallet")) return (farm, abi.encodeCall(lots.proposeWallet, (farm, fresher)));
        if (same(name, "vetoWallet")) return (farm, abi.encodeCall(lots.vetoWallet, ()));
        if (same(name, "acceptWallet")) return (fresher, abi.encodeCall(lots.acceptWallet, (farm)));
        if (same(name, "approve")) return (farm, abi.encodeCall(lots.approve, (mill, id)));
        require(same(name, "setApprovalForAll"), string.concat("no call of ", name));
        return (farm, abi.encodeCall(lots.setApprovalForAll, (mill, true)));
    }

    function recording(string memory how, uint256 id) private returns (bytes memory) {
        if (same(how, "observe")) return useCall(id, 0);
        if (same(how, "use")) return useCall(id, 1);
        return same(how, "pack") ? packCall(id, farm) : unpackCall(id);
    }

    function safely(string memory how, uint256 id) private pure returns (bytes memory) {
        address to = same(how, "to the mill") ? mill : recycler;
        return same(how, "to the recycler, with data")
            ? abi.encodeWithSignature("safeTransferFrom(address,address,uint256,bytes)", farm, to, id, "data")
            : abi.encodeWithSignature("safeTransferFrom(address,address,uint256)", farm, to, id);
    }

    function everyFunctionHasARow() private view {
        string memory abis = vm.split(vm.readFile("generated/abi.ts"), "export const tenantRegistryAbi")[0];
        string[] memory upToFunctions = vm.split(abis, "type: 'function'");
        uint256 changing;
        for (uint256 i; i < upToFunctions.length - 1; ++i) {
            string[] memory parts = vm.split(upToFunctions[i], "outputs:");
            if (vm.split(parts[parts.length - 1], "stateMutability: 'nonpayable'").length == 1) continue;
            string[] memory names = vm.split(parts[parts.length - 2], "name: '");
            string memory name = vm.split(names[names.length - 1], "'")[0];
            require(rows[name], string.concat(name, " has no row"));
            ++changing;
        }
        require(changing > 20, "no functions in the ABI");
    }

    function same(string memory a, string memory b) private pure returns (bool) {
        return keccak256(bytes(a)) == keccak256(bytes(b));
    }
}
